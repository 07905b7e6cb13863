import { isObject, type JsonSchema } from '../../plugin/index.ts'
import { compileSchema } from '../../schema/index.ts'
import type { InnerSchema, SchemaReader } from './flatten-schema.ts'
import type { SchemaUse } from './simplify-schema.ts'

const maxTextLength = 500
const maxItems = 2
const maxFields = 40
const maxLevels = 5

/**
 * A copy of a document's value with limited size and depth: YAML aliases may multiply, form cycles or repeat
 * a long text. Undefined if it is not JSON.
 */
export function smallCopy(value: unknown, budget = { left: 400 }, levels = maxLevels + 3): unknown {
  if (budget.left-- <= 0) return undefined
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string')
    return value.length > maxTextLength ? value.slice(0, maxTextLength).toWellFormed() : value
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value
  if (levels === 0 || typeof value !== 'object') return undefined
  if (Array.isArray(value))
    return value
      .slice(0, maxItems)
      .map((item) => smallCopy(item, budget, levels - 1))
      .filter((item) => item !== undefined)
  const entries = Object.entries(value)
    .filter(([name]) => name !== '__proto__')
    .slice(0, maxFields)
    .map(([name, inner]): [string, unknown] => [name, smallCopy(inner, budget, levels - 1)])
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined))
}

/**
 * A value that a schema allows: the example of the document, if it fits, or a made-up one. Below the first
 * level of an input, only required fields.
 */
export function sampleValue(
  reader: SchemaReader,
  inner: InnerSchema,
  schema: JsonSchema,
  use: SchemaUse,
  levels = maxLevels,
): unknown {
  const { keywords, properties, items } = reader.flatten(inner)
  const { example, examples, default: usual, enum: choices } = keywords
  const [first] = Array.isArray(examples) ? examples : []
  const [choice] = Array.isArray(choices) ? choices : []
  for (const given of [example, first, usual, choice]) {
    const copy = smallCopy(given)
    if (copy !== undefined && copy !== null && !isPlaceholder(copy) && fits(schema, copy)) return copy
  }
  const type = typeOf(schema)
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).flatMap(
        ([name, part]): readonly (readonly [string, unknown])[] => {
          const property = properties.get(name)
          const isNeeded = use === 'output' || schema.required?.includes(name) === true
          if (property === undefined || levels === 0 || !isNeeded) return []
          return [[name, sampleValue(reader, property, part, use, levels - 1)]]
        },
      ),
    )
  if (type === 'array') {
    if (items === undefined || schema.items === undefined || levels === 0) return []
    return [sampleValue(reader, items, schema.items, use, levels - 1)]
  }
  return plainSample(schema, type)
}

/** Some documents have `{}` and empty texts in place of examples. */
const isPlaceholder = (value: unknown): boolean =>
  value === '' || (isObject(value) && Object.keys(value).length === 0)

/** Compiling a schema is slow, and most are plain. */
function fits(schema: JsonSchema, value: unknown): boolean {
  const { type, enum: choices, format } = schema
  if (type === undefined) return true
  if (
    typeof value === 'object' ||
    format !== undefined ||
    schema.minimum !== undefined ||
    schema.maximum !== undefined
  )
    return compileSchema(schema).problems(value).length === 0
  const types = Array.isArray(type) ? type : [type]
  const own = Number.isInteger(value) ? ['integer', 'number'] : [typeof value]
  return types.some((one) => own.includes(one)) && (choices === undefined || choices.includes(value))
}

const typeOf = ({ type }: JsonSchema): string | undefined => {
  const [first] = Array.isArray(type) ? type : [type]
  return first as string | undefined
}

const samples: Readonly<Record<string, string>> = {
  date: '2026-01-15',
  'date-time': '2026-01-15T09:30:00Z',
  email: 'kim@example.com',
  uuid: '3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b',
  ipv4: '203.0.113.7',
  ipv6: '2001:db8::7',
}

function plainSample(schema: JsonSchema, type: string | undefined): unknown {
  const { enum: choices, format, minimum, maximum } = schema
  if (choices !== undefined) return choices[0]
  if (type === 'integer' || type === 'number') return Math.min(Math.max(1, minimum ?? 1), maximum ?? Infinity)
  if (type === 'boolean') return true
  return samples[format ?? ''] ?? 'example'
}
