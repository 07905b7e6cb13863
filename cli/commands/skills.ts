import { Command } from 'commander'
import { TocsinError } from '../../core/plugin/index.ts'
import type { CatalogueSkill } from '../../core/registry/catalogue.ts'
import { installedCatalogue } from '../installed-catalogue.ts'
import { paint, printable } from '../output/paint.ts'
import { table } from '../output/table.ts'

/** `tocsin skills`: what the installed plugins can do. */
export function skillsCommand(): Command {
  return new Command('skills')
    .description('list the skills of the installed plugins')
    .argument('[name]', 'one skill, e.g. case.update, or one plugin, e.g. case')
    .option('--json', 'as JSON: plugin, name, title, effect, connection, input and output schemas')
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const catalogue = await installedCatalogue()
      const skills = catalogue.skills.filter(
        (skill) => name === undefined || skill.name === name || skill.plugin.name === name,
      )
      if (skills.length === 0) {
        throw new TocsinError(
          'skill_not_found',
          `no installed skill or plugin is named '${printable(name ?? '')}'`,
          {
            hint: 'see `tocsin skills` for what is installed',
          },
        )
      }
      console.log(options.json ? JSON.stringify(skills.map(describe), null, 2) : overview(skills))
    })
}

function describe({ name, plugin, skill }: CatalogueSkill) {
  return {
    plugin: plugin.name,
    name,
    title: skill.title,
    description: skill.description,
    effect: skill.effect,
    repeat: skill.effect === 'write' ? skill.repeat : null,
    enriches: skill.enriches ?? [],
    needs_connection: skill.connection !== undefined && skill.connectionIsOptional !== true,
    docs: skill.docs ?? null,
    input: skill.input,
    output: skill.output,
  }
}

function overview(skills: readonly CatalogueSkill[]): string {
  const rows = skills.map(({ name, skill }) => [
    paint.strong(name),
    skill.title,
    skill.effect === 'write' ? paint.warn(`write, ${skill.repeat}`) : 'read',
    skill.enriches?.join(' ') ?? '',
  ])
  return table(['SKILL', 'TITLE', 'EFFECT', 'ENRICHES'], rows)
}
