import { Command } from 'commander'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { Catalogue, CatalogueSkill } from '../../../core/registry/catalogue.ts'
import { skillView } from '../../../core/registry/skill-view.ts'
import { nearest } from '../../../core/schema/index.ts'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { paint } from '../../output/paint.ts'
import { printable, printableJson } from '../../output/printable.ts'
import { table } from '../../output/table.ts'
import { describeSkill } from '../../skills/describe-skill.ts'

/** `tocsin skills`: what the installed plugins can do. */
export function skillsCommand(): Command {
  return new Command('skills')
    .description('list what the installed plugins can do, or show one skill with its inputs and outputs')
    .argument('[name]', 'a skill, e.g. case.update, or a plugin, e.g. case')
    .option(
      '--json',
      'a list with plugin, name, title, effect, connection, input and output schemas, examples',
    )
    .addHelpText(
      'after',
      `
Examples:
  tocsin skills                                       a table of all skills
  tocsin skills case                                  those of one plugin
  tocsin skills case.update                           inputs, outputs and a step to paste
  tocsin skills --json | jq -r '.[].name'             for programs`,
    )
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const catalogue = await installedCatalogue()
      const skills = name === undefined ? catalogue.skills : named(name, catalogue)
      const [first] = skills
      if (options.json) console.log(printableJson(skills.map(asJson)))
      else if (first !== undefined && first.name === name) console.log(describeSkill(first))
      else console.log(overview(skills))
    })
}

/** @throws NotFoundError `skill_not_found` */
function named(name: string, catalogue: Catalogue): readonly CatalogueSkill[] {
  const skill = catalogue.skill(name)
  const skills = skill === undefined ? catalogue.skills.filter(({ plugin }) => plugin.name === name) : [skill]
  if (skills.length > 0) return skills
  const names = [...catalogue.plugins, ...catalogue.skills].map((one) => one.name)
  const meant = nearest(name, names)
  throw new NotFoundError('skill_not_found', `no installed skill or plugin is named '${printable(name)}'`, {
    hint: meant === undefined ? '`tocsin skills` lists what is installed' : `did you mean ${meant}?`,
  })
}

const asJson = (entry: CatalogueSkill) => ({ ...skillView(entry), examples: entry.skill.examples })

function overview(skills: readonly CatalogueSkill[]): string {
  const rows = skills.map(({ name, skill }) => [
    paint.strong(name),
    printable(skill.title),
    skill.effect === 'write' ? paint.warn(`write, ${skill.repeat}`) : 'read',
    skill.enriches?.join(' ') ?? '',
  ])
  return table(['SKILL', 'TITLE', 'EFFECT', 'ENRICHES'], rows)
}
