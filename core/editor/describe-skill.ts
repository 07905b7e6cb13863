import { authorsInput } from '../playbook/check/asked-input.ts'
import type { JsonSchema } from '../plugin/index.ts'
import type { CatalogueSkill } from '../registry/catalogue.ts'

/** The documentation of a skill, as Markdown. */
export function skillDocumentation({ name, skill, implementedBy }: CatalogueSkill): string {
  const input = authorsInput(skill)
  const output = skill.output as JsonSchema
  const connection =
    implementedBy !== undefined
      ? `implemented by ${implementedBy.length === 0 ? 'no installed plugin' : implementedBy.join(', ')}`
      : skill.connection === undefined
        ? 'no connection'
        : skill.connectionIsOptional === true
          ? 'connection optional'
          : 'needs a connection'
  return [
    `**${escapeMarkdown(skill.title)}** · \`${name}\``,
    escapeMarkdown(skill.description),
    [...effectOf(skill, implementedBy !== undefined), connection].join(' · '),
    ...listOf('Inputs', input, true),
    ...listOf('Output', output, false),
    ...(skill.docs === undefined ? [] : [`[Documentation](${encodeURI(skill.docs)})`]),
  ].join('\n\n')
}

function effectOf(skill: CatalogueSkill['skill'], isInterface: boolean): string[] {
  if (skill.effect === 'read') return ['reads']
  const writes = isInterface ? 'writes' : `writes (repeat: ${skill.repeat})`
  return skill.destructive === undefined ? [writes] : [writes, `destructive (${skill.destructive})`]
}

/** The fields of a schema, as Markdown. */
export function listOf(title: string, schema: JsonSchema, isInput: boolean): string[] {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) return []
  const rows = properties.map(([name, property]) => {
    const isRequired = schema.required?.includes(name) === true
    const mark = isInput ? (isRequired ? ', required' : '') : isRequired ? '' : ', optional'
    return `- \`${name}\` (${describeSchema(property)}${mark})${described(property)}`
  })
  return [`${title}:`, rows.join('\n')]
}

/** An input as Markdown. */
export function describeInput(name: string, schema: JsonSchema, isRequired: boolean): string {
  const head = `\`${name}\`: ${describeSchema(schema)}${isRequired ? ', required' : ''}`
  const preset = schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\``]
  const text = schema.description === undefined ? [] : [escapeMarkdown(schema.description)]
  return [head, ...text, ...preset].join('\n\n')
}

const described = ({ description }: JsonSchema): string =>
  description === undefined ? '' : ` — ${escapeMarkdown(description)}`

/** A short description of a schema. */
export function describeSchema(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map(describeSchema))].join(' or ')
  const types = schema.type === undefined ? ['any'] : [schema.type].flat()
  return types
    .map((type) =>
      type === 'array' ? (schema.items ? `list of ${describeSchema(schema.items)}` : 'list') : type,
    )
    .join(' or ')
}

/** Plugin text must not be interpreted as Markdown. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, '\\$&')
