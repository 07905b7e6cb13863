import type { JsonSchema } from 'tocsin/plugin'

/** A record of the vendor: `decode` fills in all of these fields and passes others through. */
export const recordSchema = <const P extends Readonly<Record<string, JsonSchema>>>(properties: P) =>
  ({
    type: 'object',
    additionalProperties: true,
    required: Object.keys(properties) as (keyof P & string)[],
    properties,
  }) as const

export const nullableText = { type: ['string', 'null'] } as const
export const nullableNumber = { type: ['number', 'null'] } as const
export const integerOrNull = { type: ['integer', 'null'] } as const
export const flagOrNull = { type: ['boolean', 'null'] } as const
export const texts = { type: 'array', items: { type: 'string' } } as const
/** A string as the vendor wrote it, since fractions of a second can have seven digits. */
export const nullableTime = { type: ['string', 'null'], description: 'UTC, as the vendor wrote it.' } as const

/** An open enum; `absent` is the vendor's value for unknown. */
export const wordOr = <const A extends string>(absent: A, known: string) =>
  ({ type: 'string', default: absent, description: `${known} or another.` }) as const

/** An open enum. */
export const word = (known: string) =>
  ({ type: ['string', 'null'], description: `${known} or another.` }) as const
