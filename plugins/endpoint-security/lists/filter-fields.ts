/** Inputs of the list skills: one per field that the vendor can filter by, under the vendor's name. */

/** A string field; any of several values may match. */
export const textFilter = <const D extends string>(description: D) =>
  ({
    type: ['string', 'array'],
    minLength: 1,
    maxLength: 500,
    minItems: 1,
    maxItems: 50,
    items: { type: 'string', minLength: 1, maxLength: 500 },
    description: `${description} A string, or a list of which one must match.`,
  }) as const

/** An enum field; any of several values may match. */
export const words = <const W extends readonly string[]>(...choice: W) =>
  ({
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { type: 'string', enum: choice },
    description: 'One of these must match.',
  }) as const

export const numberFilter = <const D extends string>(description: D) =>
  ({ type: 'integer', description }) as const

const time = {
  type: 'string',
  format: 'date-time',
  maxLength: 40,
  examples: ['2026-01-12T08:00:00Z'],
} as const

/** A range of times. */
export const times = <const D extends string>(description: D) =>
  ({
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: { ge: time, gt: time, le: time, lt: time },
    description: `${description} Times with a time zone: ge from, gt after, le until, lt before.`,
  }) as const

/** A range of numbers. */
export const numbers = <const D extends string>(description: D) =>
  ({
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      ge: { type: 'number' },
      gt: { type: 'number' },
      le: { type: 'number' },
      lt: { type: 'number' },
    },
    description: `${description} ge at least, gt more than, le at most, lt less than.`,
  }) as const

/** The vendor's maximum page size; its behaviour beyond this offset is not documented. */
const mostItems = 10_000

/** Maximum number of records to return. */
export const limit = {
  type: 'integer',
  minimum: 1,
  maximum: mostItems,
  default: 100,
  description:
    'Maximum number to return, up to 10 million characters in total; `truncated` is true if there are more.',
} as const

export const truncated = {
  type: 'boolean',
  description: 'There may be more: raise the limit or narrow the filters.',
} as const
