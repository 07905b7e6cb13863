import type { JsonSchema } from '../../plugin/index.ts'
import { cleanText } from '../document/clean-text.ts'
import type { FlatSchema, InnerSchema, SchemaReader } from './flatten-schema.ts'

/** `input`: values to send. `output`: values received, which often deviate from the document. */
export type SchemaUse = 'input' | 'output'

/** How much of a schema is kept. */
export interface SimplifyOptions {
  readonly use: SchemaUse
  /** How many properties to keep, those of inner schemas included. */
  readonly size: number
  /** How deep objects and lists may be nested. */
  readonly levels: number
}

/**
 * A simplified schema. Inputs keep their choices and required properties. Outputs allow what servers really
 * answer: missing and null properties, choices and properties that the document does not know.
 */
export function simplify(reader: SchemaReader, inner: InnerSchema, options: SimplifyOptions): JsonSchema {
  return simplifyFlat(reader, reader.flatten(inner), options)
}

/** {@link simplify} for a schema that is flat already. */
export function simplifyFlat(reader: SchemaReader, flat: FlatSchema, options: SimplifyOptions): JsonSchema {
  const description = describe(flat, options.use)
  const types = [...flat.types].filter((type) => !(type === 'integer' && flat.types.includes('number')))
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0]! : types }),
    ...(description !== undefined && { description }),
    ...valueKeywords(flat, options.use),
    ...(types.includes('array') && itemsOf(reader, flat, options)),
    ...(types.includes('object') && objectOf(reader, flat, options)),
  } as JsonSchema
}

/** The same schema for values that may be null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema
  if (type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'))) return schema
  return { ...schema, type: [...(Array.isArray(type) ? type : [type]), 'null'] }
}

const maxText = { input: 200, output: 140 } as const
const maxChoices = 50

function describe(flat: FlatSchema, use: SchemaUse): string | undefined {
  const text = cleanText(flat.keywords['description'], maxText[use])
  const choices = choicesOf(flat)
  if (use === 'input' || choices === undefined || choices.length > 12) return text
  const listed = cleanText(`Such as ${choices.map(String).join(', ')}.`, maxText.output)
  return text === undefined ? listed : cleanText(`${text.replace(/[.…]?$/, '.')} ${listed}`, 240)
}

/** Characters that `plugin.yaml` cannot contain. */
const unusual = /[\p{Cc}\p{Cf}\u2028\u2029]/u

/** The choices, if they are of one plain type. */
function choicesOf({ keywords, types }: FlatSchema): readonly (string | number)[] | undefined {
  const given = keywords['enum']
  if (!Array.isArray(given) || types.length > 1) return undefined
  const choices = given.filter((value) => value !== null)
  const isPlain = choices.every((value) =>
    typeof value === 'string' ? !unusual.test(value) : Number.isSafeInteger(value),
  )
  const fits =
    isPlain && choices.every((value) => typeof value === (types[0] === 'string' ? 'string' : 'number'))
  return fits && choices.length > 0 && choices.length <= maxChoices ? [...new Set(choices)] : undefined
}

/** Formats with a single common notation. */
const keptFormats = ['date', 'date-time', 'email', 'uuid', 'ipv4', 'ipv6']

function valueKeywords(flat: FlatSchema, use: SchemaUse): JsonSchema {
  if (use === 'output') return flat.keywords['format'] === 'password' ? { 'x-sensitive': true } : {}
  const { format, minimum, maximum } = flat.keywords
  const [type] = flat.types
  const isNumber = flat.types.length === 1 && (type === 'integer' || type === 'number')
  const choices = choicesOf(flat)
  return {
    ...(choices !== undefined && { enum: choices }),
    ...(type === 'string' && keptFormats.includes(format as string) && { format }),
    ...(isNumber && Number.isSafeInteger(minimum) && { minimum }),
    ...(isNumber && Number.isSafeInteger(maximum) && { maximum }),
  } as JsonSchema
}

function itemsOf(reader: SchemaReader, { items }: FlatSchema, options: SimplifyOptions): JsonSchema {
  if (items === undefined || options.levels === 0) return {}
  const { description: _, ...schema } = simplify(reader, items, { ...options, levels: options.levels - 1 })
  if (schema.type === undefined) return {}
  return { items: options.use === 'output' ? orNull(schema) : schema }
}

function objectOf(reader: SchemaReader, flat: FlatSchema, options: SimplifyOptions): JsonSchema {
  const { use, size, levels } = options
  if (levels === 0) return {}
  // Part of the limit is reserved for inner schemas.
  const kept = propertiesOf(flat, Math.ceil(size * 0.6))
  if (kept.length === 0) {
    if (flat.additional === undefined) return {}
    const { description: _, ...values } = simplify(reader, flat.additional, {
      ...options,
      levels: levels - 1,
    })
    return { additionalProperties: use === 'output' ? orNull(values) : values }
  }
  const nested = kept.filter(([, inner]) => /object|array/.test(reader.flatten(inner).types.join())).length
  const share = Math.floor((size - kept.length) / Math.max(1, nested))
  const properties = kept.map(([name, inner]): [string, JsonSchema] => {
    const schema = simplify(reader, inner, { use, size: share, levels: levels - 1 })
    return [name, use === 'output' ? orNull(schema) : schema]
  })
  const required = use === 'input' ? kept.map(([name]) => name).filter((name) => flat.required.has(name)) : []
  return {
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  }
}

/** The most useful properties: required ones first, addresses of other resources last. */
export function propertiesOf(
  { properties, required }: FlatSchema,
  count: number,
): readonly (readonly [string, InnerSchema])[] {
  const named = [...properties]
  if (named.length <= count) return named
  const rank = (name: string) => (/(_url|Url|_?links?|href)$/.test(name) ? 2 : required.has(name) ? 0 : 1)
  const ordered = named.toSorted(([a], [b]) => rank(a) - rank(b))
  const kept = new Set(ordered.slice(0, Math.max(0, count)).map(([name]) => name))
  return named.filter(([name]) => kept.has(name))
}
