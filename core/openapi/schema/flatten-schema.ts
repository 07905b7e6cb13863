import { isObject, textAt, valueAt, type JsonObject } from '../../plugin/index.ts'
import type { ApiDocument } from '../document/api-document.ts'

/** The schemas around a schema, to detect cycles. */
export type Trail = readonly object[]

/** A nested schema. */
export interface InnerSchema {
  readonly schema: unknown
  readonly trail: Trail
}

/** A schema without references, `allOf`, `oneOf` and `anyOf`. */
export interface FlatSchema {
  /** Without `null`; empty if any type is possible. */
  readonly types: readonly string[]
  readonly isNullable: boolean
  readonly properties: ReadonlyMap<string, InnerSchema>
  readonly required: ReadonlySet<string>
  /** Of the values of a map. */
  readonly additional: InnerSchema | undefined
  readonly items: InnerSchema | undefined
  /** Other keywords, such as `format`. */
  readonly keywords: JsonObject
}

/** The document, and how many schemas may still be visited: `allOf` can multiply them. */
export class SchemaReader {
  readonly document: ApiDocument
  #left: number

  constructor(document: ApiDocument, visits = 20_000) {
    this.document = document
    this.#left = visits
  }

  /** Reads a schema; an unreadable one accepts any value. */
  flatten({ schema, trail }: InnerSchema): FlatSchema {
    if (this.#left-- <= 0 || trail.length > maxTrail) return anything
    const found = this.document.resolve(schema)
    if (!isObject(found) || trail.includes(found)) return anything
    const next = [...trail, found]
    const parts = listAt(found, 'allOf').map((part) => this.flatten({ schema: part, trail: next }))
    const own = [ownOf(found, schema, next), ...parts].reduce(both)
    const choices = [...listAt(found, 'oneOf'), ...listAt(found, 'anyOf')]
    if (choices.length === 0) return own
    return both(own, choices.map((part) => this.flatten({ schema: part, trail: next })).reduce(either))
  }
}

const maxTrail = 60
const maxParts = 50
const maxProperties = 500

const anything: FlatSchema = {
  types: [],
  isNullable: false,
  properties: new Map(),
  required: new Set(),
  additional: undefined,
  items: undefined,
  keywords: {},
}

const listAt = (value: unknown, key: string): readonly unknown[] => {
  const list = valueAt(value, key)
  return Array.isArray(list) ? list.slice(0, maxParts) : []
}

const isUsableName = (name: string): boolean =>
  name !== '__proto__' && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name)

const simpleKeywords = [
  'description',
  'format',
  'enum',
  'minimum',
  'maximum',
  'default',
  'example',
  'examples',
]

function ownOf(found: JsonObject, written: unknown, trail: Trail): FlatSchema {
  const properties = valueAt(found, 'properties')
  const names = isObject(properties) ? Object.entries(properties).slice(0, maxProperties) : []
  const required = listAt(found, 'required').filter((name) => typeof name === 'string')
  const inner = (key: string) => {
    const schema = valueAt(found, key)
    return isObject(schema) ? { schema, trail } : undefined
  }
  const types = typesOf(found)
  const constant = valueAt(found, 'const')
  return {
    types: types.filter((type) => type !== 'null'),
    isNullable:
      types.includes('null') || ['nullable', 'x-nullable'].some((key) => valueAt(found, key) === true),
    properties: new Map(
      names.filter(([name]) => isUsableName(name)).map(([name, schema]) => [name, { schema, trail }]),
    ),
    required: new Set(required),
    additional: inner('additionalProperties'),
    items: inner('items'),
    keywords: {
      ...(constant !== undefined && { enum: [constant] }),
      ...Object.fromEntries(
        simpleKeywords.flatMap((key) => {
          const value = valueAt(found, key)
          return value === undefined ? [] : [[key, value]]
        }),
      ),
      // OpenAPI 3.1 allows a description beside `$ref`.
      ...(textAt(written, 'description') !== null && { description: textAt(written, 'description') }),
    },
  }
}

const known = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])

function typesOf(found: JsonObject): readonly string[] {
  const given = valueAt(found, 'type')
  const types = (Array.isArray(given) ? given : [given]).filter((type) => known.has(type as string))
  if (types.length > 0) return [...new Set(types as string[])]
  if (isObject(valueAt(found, 'properties'))) return ['object']
  if (valueAt(found, 'items') !== undefined) return ['array']
  const choices = listAt(found, 'enum')
  return choices.length > 0 && choices.every((value) => typeof value === 'string') ? ['string'] : []
}

/** A schema whose values fit both schemas. */
const both = (a: FlatSchema, b: FlatSchema): FlatSchema => ({
  types: a.types.length > 0 ? a.types : b.types,
  isNullable: a.isNullable || b.isNullable,
  properties: new Map([...b.properties, ...a.properties]),
  required: a.required.union(b.required),
  additional: a.additional ?? b.additional,
  items: a.items ?? b.items,
  keywords: { ...b.keywords, ...a.keywords },
})

const isNull = ({ types, isNullable }: FlatSchema): boolean => types.length === 0 && isNullable

/** A schema whose values fit either schema. */
function either(a: FlatSchema, b: FlatSchema): FlatSchema {
  if (isNull(a)) return { ...b, isNullable: true }
  if (isNull(b)) return { ...a, isNullable: true }
  const areOpen = a.types.length === 0 || b.types.length === 0
  return {
    types: areOpen ? [] : [...new Set([...a.types, ...b.types])],
    isNullable: a.isNullable || b.isNullable,
    properties: eitherProperties(a.properties, b.properties),
    required: a.required.intersection(b.required),
    additional: undefined,
    items: a.items === undefined || b.items === undefined ? (a.items ?? b.items) : oneOf(a.items, b.items),
    keywords: commonKeywords(a.keywords, b.keywords),
  }
}

const oneOf = (a: InnerSchema, b: InnerSchema): InnerSchema =>
  a.schema === b.schema ? a : { schema: { anyOf: [a.schema, b.schema] }, trail: a.trail }

function eitherProperties(
  a: FlatSchema['properties'],
  b: FlatSchema['properties'],
): FlatSchema['properties'] {
  const merged = new Map(a)
  for (const [name, schema] of b) {
    const other = merged.get(name)
    if (merged.size < maxProperties) merged.set(name, other === undefined ? schema : oneOf(other, schema))
  }
  return merged
}

/** If several types are possible, the keywords of one do not apply to the others. */
function commonKeywords(a: JsonObject, b: JsonObject): JsonObject {
  const [first, second] = [a['enum'], b['enum']]
  const choices =
    Array.isArray(first) && Array.isArray(second) ? [...new Set([...first, ...second])] : undefined
  return {
    ...(a['example'] !== undefined && { example: a['example'] }),
    ...(a['format'] === b['format'] && a['format'] !== undefined && { format: a['format'] }),
    ...(choices !== undefined && { enum: choices }),
  }
}
