import { Command } from 'commander'
import { NotFoundError } from '../../../core/errors/errors.ts'
import { type Catalogue, type CatalogueSkill, skillView } from '../../../core/registry/catalogue.ts'
import { nearest } from '../../../core/schema/index.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { paint } from '../../output/paint.ts'
import { printable, printableJson } from '../../output/printable.ts'
import { table } from '../../output/table.ts'
import { skillLines } from '../../skills/describe-skill.ts'

export function skillsCommand(): Command {
  return new Command('skills')
    .description('list the skills of the installed plugins, or show one skill with its inputs and outputs')
    .argument('[name]', 'a skill, e.g. case.update, or a plugin, e.g. case')
    .option(
      '--json',
      'print JSON: plugin, name, title, effect, connection, input and output schemas, examples',
    )
    .addHelpText(
      'after',
      `
Examples:
  tocsin skills                                       a table of all skills
  tocsin skills case                                  the skills of one plugin
  tocsin skills case.update                           inputs, outputs and a step to paste
  tocsin skills --json | jq -r '.[].name'             for programs`,
    )
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const catalogue = await installedCatalogue()
      const skills = name === undefined ? catalogue.usable : named(name, catalogue)
      const [first] = skills
      if (options.json) console.log(printableJson(skills.map(asJson)))
      else if (first !== undefined && first.name === name) console.log(skillLines(first))
      else console.log(overview(skills))
    })
}

/** @throws NotFoundError `skill_not_found` */
function named(name: string, catalogue: Catalogue): readonly CatalogueSkill[] {
  const skill = catalogue.skill(name)
  const skills = skill === undefined ? catalogue.usable.filter(({ plugin }) => plugin.name === name) : [skill]
  if (skills.length > 0) return skills
  const names = [...catalogue.plugins, ...catalogue.usable].map((one) => one.name)
  const meant = nearest(name, names)
  throw new NotFoundError('skill_not_found', `no installed skill or plugin is named '${printable(name)}'`, {
    hint: meant === undefined ? '`tocsin skills` lists what is installed' : `did you mean ${meant}?`,
  })
}

const asJson = (entry: CatalogueSkill) => ({ ...skillView(entry), examples: entry.skill.examples })

const effectOf = ({ repeat, destructive }: { repeat?: string; destructive?: string | undefined }): string =>
  [
    'write',
    ...(repeat === undefined ? [] : [repeat]),
    ...(destructive === undefined ? [] : [destructive]),
  ].join(', ')

function overview(skills: readonly CatalogueSkill[]): string {
  const rows = skills.map(({ name, skill, implementedBy }) => [
    paint.strong(name),
    printable(skill.title),
    skill.effect === 'write'
      ? paint.warn(effectOf(implementedBy === undefined ? skill : { destructive: skill.destructive }))
      : 'read',
    skill.enriches?.join(' ') ?? '',
  ])
  return table(['SKILL', 'TITLE', 'EFFECT', 'ENRICHES'], rows)
}
