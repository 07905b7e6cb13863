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
  /** Of a step: the actions, or `foreach`, that the key needs beside it. Default: none. */
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
