import type { JsonSchema } from '../../plugin/index.ts'

/** A displayed value of an input or output. */
export interface SchemaRow {
  /** Path from the top: `risk.score`, `evidence[].rule`. */
  readonly name: string
  readonly type: string
  readonly required: boolean
  /** `default 20`, `at most 100`. */
  readonly notes: readonly string[]
  readonly description: string
}

/** Deeper values are shown as `object`; `--json` includes them. */
const maxDepth = 3

/** All values of an object schema in the order of their declaration, each before its parts. */
export function schemaRows(schema: JsonSchema, prefix = '', depth = 1): SchemaRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`
    const row = {
      name,
      type: typeName(property),
      required: schema.required?.includes(key) === true,
      notes: notesOf(property),
      description: property.description ?? '',
    }
    return depth >= maxDepth ? [row] : [row, ...innerRows(property, name, depth + 1)]
  })
}

function innerRows(schema: JsonSchema, name: string, depth: number): SchemaRow[] {
  const items = schema.items === undefined ? [] : schemaRows(schema.items, `${name}[].`, depth)
  return [...schemaRows(schema, `${name}.`, depth), ...items]
}

/** The type of a schema in a few words: `string`, `low | high`, `list of integer`, `number or null`. */
export function typeName(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(plainValue).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map(typeName))].join(' or ')
  const types = schema.type === undefined ? ['any'] : [schema.type].flat()
  return types.map((type) => (type === 'array' ? listName(schema) : type)).join(' or ')
}

function listName({ items }: JsonSchema): string {
  if (items === undefined) return 'list'
  const name = typeName(items)
  return name.includes(' ') ? `list of (${name})` : `list of ${name}`
}

function plainValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function notesOf(schema: JsonSchema): string[] {
  const notes: string[] = []
  if (schema.default !== undefined) notes.push(`default ${JSON.stringify(schema.default)}`)
  if (schema.minimum !== undefined) notes.push(`at least ${schema.minimum}`)
  if (schema.maximum !== undefined) notes.push(`at most ${schema.maximum}`)
  if (schema.format !== undefined) notes.push(schema.format)
  return notes
}
