import type { JsonSchema } from 'tocsin/plugin'

/** A record of the vendor: `decode` fills in all of these fields, and lets others pass. */
export const record = <const P extends Readonly<Record<string, JsonSchema>>>(properties: P) =>
  ({
    type: 'object',
    additionalProperties: true,
    required: Object.keys(properties) as (keyof P & string)[],
    properties,
  }) as const

export const textOrNull = { type: ['string', 'null'] } as const
export const numberOrNull = { type: ['number', 'null'] } as const
export const integerOrNull = { type: ['integer', 'null'] } as const
export const flagOrNull = { type: ['boolean', 'null'] } as const
export const texts = { type: 'array', items: { type: 'string' } } as const
/** With up to seven digits of a second’s fraction: a text, as the vendor wrote it. */
export const timeOrNull = { type: ['string', 'null'], description: 'UTC, as the vendor wrote it.' } as const

/** A word of a list that the vendor extends; `absent` is its own word for what it does not know. */
export const wordOr = <const A extends string>(absent: A, known: string) =>
  ({ type: 'string', default: absent, description: `${known} or another.` }) as const

/** A word of a list that the vendor extends. */
export const word = (known: string) =>
  ({ type: ['string', 'null'], description: `${known} or another.` }) as const
