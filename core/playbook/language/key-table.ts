import type { JsonSchema } from '../../plugin/index.ts'
import { writeDuration } from './durations.ts'

/** The keys of a map, for {@link readFields}. */
export interface KeyTable {
  /** The map in messages: "a step". */
  readonly what: string
  readonly keys: readonly string[]
  readonly required?: readonly string[]
}

export interface KeyDeclaration {
  /** The meaning, in Markdown: a phrase that starts in lower case, without a full stop. */
  readonly meaning: string
  /** The default, in Markdown. */
  readonly default?: string
  readonly schema: JsonSchema
  /** Of a step: the actions or keys of which the key needs one beside it. Default: none. */
  readonly with?: readonly string[]
}

export interface MapDeclaration {
  readonly what: string
  readonly description: string
  readonly keys: Readonly<Record<string, KeyDeclaration>>
  readonly required?: readonly string[]
  /** Keywords of the JSON Schema beside its keys. */
  readonly rules?: JsonSchema
}

/** Schemas of the values of keys. */
export const shapes = {
  reference: (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` }),
  text: { type: 'string', minLength: 1 },
  texts: { type: 'array', items: { type: 'string', minLength: 1 } },
  map: { type: 'object' },
  condition: { type: ['string', 'boolean'] },
  oneOrMore: (schema: JsonSchema): JsonSchema => ({
    anyOf: [schema, { type: 'array', minItems: 1, items: schema }],
  }),
  number: ([minimum, maximum]: readonly [number, number]): JsonSchema => ({
    type: 'number',
    minimum,
    maximum,
  }),
  integer: ([minimum, maximum]: readonly [number, number]): JsonSchema => ({
    type: 'integer',
    minimum,
    maximum,
  }),
} as const

/** Phrases in the meanings and defaults of keys. */
export const phrases = {
  range: ([least, most]: readonly [number, number]): string =>
    `${least.toLocaleString('en')} to ${most.toLocaleString('en')}`,
  duration: (ms: number): string => `\`${writeDuration(ms)}\``,
  choices: (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', '),
} as const

/** The `$defs` of a language: the schema of each map, under its name in snake_case. */
export const definitionsOf = (
  maps: Readonly<Record<string, MapDeclaration>>,
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(maps).map(([name, each]) => [snakeCased(name), schemaOfKeys(each)]))

const snakeCased = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The tables of a language for the reader. */
export const keyTables = <Name extends string>(
  maps: Readonly<Record<Name, MapDeclaration>>,
): Readonly<Record<Name, KeyTable>> =>
  Object.fromEntries(
    Object.entries<MapDeclaration>(maps).map(([name, { what, keys, required = [] }]) => [
      name,
      { what, keys: Object.keys(keys), required },
    ]),
  ) as unknown as Record<Name, KeyTable>

/** The JSON Schema of a map with known keys. */
export function schemaOfKeys({ description, keys, required, rules }: MapDeclaration): JsonSchema {
  const properties = Object.entries(keys).map(([name, key]) => [name, { ...key.schema, ...noteOf(key) }])
  return {
    description,
    type: 'object',
    additionalProperties: false,
    ...(required && { required }),
    properties: Object.fromEntries(properties) as Record<string, JsonSchema>,
    ...rules,
    ...dependencies(keys),
  }
}

function noteOf({ meaning, default: preset }: KeyDeclaration): Pick<JsonSchema, 'description'> {
  const sentence = `${meaning[0]?.toUpperCase()}${meaning.slice(1)}.`
  return { description: preset === undefined ? sentence : `${sentence} Default: ${preset}.` }
}

/** Keys that need a certain other key beside them; JSON Schema cannot express a choice of several. */
function dependencies(keys: MapDeclaration['keys']): JsonSchema {
  const needs = Object.entries(keys).flatMap(([name, { with: owners }]) =>
    owners?.length === 1 ? [[name, owners]] : [],
  )
  return needs.length === 0 ? {} : { dependentRequired: Object.fromEntries(needs) }
}
