import { isObject, SkillError, valueAt, type Infer, type JsonObject, type JsonSchema } from 'tocsin/plugin'

/**
 * Converts a vendor record to `schema`. Tenants and API versions return different fields, so: missing fields
 * become null, an empty list or the schema's default; undeclared fields pass through; a number becomes a
 * string where a string is declared; values of a wrong type are kept in `unreadable` by field name.
 * Annotations (`@odata.…`) are dropped.
 *
 * @param what Names the record in errors, e.g. `alert`.
 * @throws SkillError `bad_response` if it is no object, or lacks a field that may not be null
 */
export function decodeRecord<const S extends JsonSchema>(schema: S, value: unknown, what: string): Infer<S> {
  if (!isObject(value)) throw badRecord(what, 'expected an object')
  return decodeObject(schema, value, what) as Infer<S>
}

function decodeObject(schema: JsonSchema, value: JsonObject, what: string): unknown {
  const properties = schema.properties ?? {}
  const unnamed = Object.entries(value).filter(
    ([key]) => !Object.hasOwn(properties, key) && !key.startsWith('@odata.'),
  )
  const named = Object.entries(properties).map(([key, property]) => {
    return [key, decodeValue(property, valueAt(value, key), `${what}.${key}`)] as const
  })
  const lost = Object.entries(properties).filter(([key, property]) => !canHold(property, valueAt(value, key)))
  const unreadable = Object.fromEntries(lost.map(([key]) => [key, value[key]]))
  return Object.fromEntries([
    ...named,
    ...(lost.length === 0 ? [] : [['unreadable', unreadable] as const]),
    ...unnamed,
  ])
}

/** Whether the field has a default value: null, an empty list or the schema's default. */
function canHold(schema: JsonSchema, value: unknown): boolean {
  const [type] = [schema.type ?? []].flat()
  if (value === undefined || value === null || value === '') return true
  if (type === 'boolean') return typeof value === 'boolean' || truth.has(value)
  if (type === 'number' || type === 'integer') return decodeNumber(type, value) !== undefined
  return type !== 'object' || isObject(value)
}

function decodeValue(schema: JsonSchema, value: unknown, what: string): unknown {
  const types = [schema.type ?? []].flat()
  if (types.includes('array')) return decodeList(schema.items ?? {}, value, what)
  const found =
    value === undefined || value === null ? undefined : decodeScalar(schema, types[0], value, what)
  if (found !== undefined) return found
  if (types.includes('null')) return null
  if (schema.default !== undefined) return schema.default
  throw badRecord(what, 'it is missing')
}

/** Undefined if the value cannot be converted to the type. */
function decodeScalar(schema: JsonSchema, type: string | undefined, value: unknown, what: string): unknown {
  if (type === 'string') return asText(value)
  if (type === 'boolean') return typeof value === 'boolean' ? value : truth.get(value)
  if (type === 'number' || type === 'integer') return decodeNumber(type, value)
  return isObject(value) ? decodeObject(schema, value, what) : undefined
}

/** Other values become JSON, so that nothing is lost. */
const asText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'bigint'
      ? value.toString()
      : JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner))

const truth = new Map<unknown, boolean>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
])

function decodeNumber(type: 'number' | 'integer', value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'bigint') return Number(number)
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined
  return type === 'number' || Number.isInteger(number) ? number : undefined
}

/**
 * A single value becomes a list of one, null an empty list. An item that is no record is kept as its
 * `unreadable`.
 */
function decodeList(items: JsonSchema, value: unknown, what: string): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const given = list.filter((item) => item !== undefined && item !== null)
  const isRecords = items.type === 'object'
  return given.map((item, index) =>
    decodeValue(items, isRecords && !isObject(item) ? { unreadable: item } : item, `${what}[${index}]`),
  )
}

function badRecord(what: string, why: string): SkillError {
  return new SkillError('bad_response', `cannot read the ${what} in the response: ${why}`, {
    hint: 'check endpoint_api_url: it ends before /api and must not lead to a sign-in page or a proxy',
  })
}
