import { authorsInput } from '../../core/playbook/check/asked-input.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { interfacesOf, type CatalogueSkill } from '../../core/registry/catalogue.ts'
import { paint } from '../output/paint.ts'
import { printable } from '../output/printable.ts'
import { wrapText } from '../output/wrap.ts'
import { exampleSteps } from '../../core/skill/describe/example-step.ts'
import { schemaRows, type SchemaRow } from '../../core/skill/describe/schema-rows.ts'

/** A skill for authors of playbooks. */
export function skillLines(entry: CatalogueSkill): string {
  const { name, skill } = entry
  const steps = exampleSteps(entry)
  const sections = [
    `${paint.strong(name)}  ${printable(skill.title)}\n${wrapText(skill.description, '')}`,
    facts(entry),
    inputs(schemaRows(authorsInput(skill))),
    outputs(schemaRows(skill.output as JsonSchema)),
    ...(steps.length === 0
      ? []
      : [`${paint.strong(steps.length === 1 ? 'Example' : 'Examples')}\n${indented(steps.join('\n\n'))}`]),
  ]
  return sections.join('\n\n')
}

function facts({ skill, plugin, implementedBy }: CatalogueSkill): string {
  const rows = [
    ['effect', effectOf(skill, implementedBy !== undefined)],
    ...(skill.effect === 'write' && skill.destructive !== undefined
      ? [['destructive', `${skill.destructive}: counts against the hourly limit of its class`]]
      : []),
    ...relatedOf({ skill, plugin }),
    ...(implementedBy === undefined
      ? [['connection', connectionOf(skill, plugin.name)]]
      : [['vendors', implementedBy.length === 0 ? 'no installed plugin' : implementedBy.join(', ')]]),
    ...(skill.enriches === undefined ? [] : [['enriches', skill.enriches.join(', ')]]),
    ...(skill.implements === undefined ? [] : [['implements', interfacesOf(skill).join(', ')]]),
    ...(skill.permissions === undefined ? [] : [['permissions', skill.permissions.join(', ')]]),
    ...(skill.docs === undefined ? [] : [['docs', skill.docs]]),
  ]
  return rows
    .map(([name = '', value = '']) => `  ${paint.dim(name.padEnd(12))}${printable(value)}`)
    .join('\n')
}

function relatedOf({ skill, plugin }: Pick<CatalogueSkill, 'skill' | 'plugin'>) {
  if (skill.effect === 'read') return []
  const { undoneBy, irreversible, restores, followWith, stateBy, stateUnreadable } = skill
  const follow = typeof followWith === 'object' ? followWith.skill : followWith
  return [
    ...(undoneBy === undefined ? [] : [['undone by', `${plugin.name}.${undoneBy.skill}`]]),
    ...(irreversible === undefined ? [] : [['undone by', `nothing: ${irreversible}`]]),
    ...(restores === true ? [['restores', 'ends a containment or a block']] : []),
    ...(stateBy === undefined ? [] : [['state by', `${plugin.name}.${stateBy.skill}`]]),
    ...(stateUnreadable === undefined ? [] : [['state by', `nothing: ${stateUnreadable}`]]),
    ...(follow === undefined ? [] : [['follow with', `${plugin.name}.${follow}`]]),
  ]
}

function effectOf(skill: CatalogueSkill['skill'], isInterface: boolean): string {
  if (skill.effect === 'read') return 'read: changes nothing and can be repeated'
  if (isInterface) return 'write: the skill of the vendor defines what happens after a crash'
  return `write: ${whatRepeatMeans[skill.repeat]}`
}

const whatRepeatMeans = {
  safe: 'repeated after a crash, without a second effect',
  verify: 'after a crash, asks the other system whether it took effect',
  never: 'never repeated; after a crash, a person decides',
} as const

function connectionOf({ connection, connectionIsOptional }: CatalogueSkill['skill'], plugin: string): string {
  if (connection === undefined) return 'needs none'
  return connectionIsOptional === true
    ? `optional, of the plugin ${plugin}`
    : `required, of the plugin ${plugin}`
}

function inputs(rows: readonly SchemaRow[]): string {
  return values('Inputs', rows, (row) => (row.required ? ['required'] : []))
}

/** Required outputs are always present; only optional ones are marked. */
function outputs(rows: readonly SchemaRow[]): string {
  return values('Outputs', rows, (row) => (row.required ? [] : ['may be absent']))
}

function values(title: string, rows: readonly SchemaRow[], mark: (row: SchemaRow) => string[]): string {
  const width = Math.min(28, Math.max(0, ...rows.map((row) => row.name.length)))
  const body =
    rows.length === 0 ? [`  ${paint.dim('none')}`] : rows.map((row) => valueLines(row, mark(row), width))
  return [paint.strong(title), ...body].join('\n')
}

function valueLines({ name, type, notes, description }: SchemaRow, marks: string[], width: number): string {
  const indent = ' '.repeat(width + 4)
  const what = wrapText([type, ...marks, ...notes].join(' · '), indent).trimStart()
  const first = `  ${paint.good(printable(name))}${' '.repeat(Math.max(2, width + 2 - name.length))}${what}`
  return description === '' ? first : `${first}\n${wrapText(description, indent, paint.dim)}`
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${printable(line)}`)
    .join('\n')
}
