/** Inputs of the skills that list: one for each field that the vendor filters by, under the vendor's name. */

/** A text; of several one must match. */
export const text = <const D extends string>(description: D) =>
  ({
    type: ['string', 'array'],
    minLength: 1,
    maxLength: 500,
    minItems: 1,
    maxItems: 50,
    items: { type: 'string', minLength: 1, maxLength: 500 },
    description: `${description} One text, or a list of which one must match.`,
  }) as const

/** Words of a fixed list, of which one must match. */
export const words = <const W extends readonly string[]>(...choice: W) =>
  ({
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { type: 'string', enum: choice },
    description: 'One of these must match.',
  }) as const

export const number = <const D extends string>(description: D) => ({ type: 'integer', description }) as const

const time = {
  type: 'string',
  format: 'date-time',
  maxLength: 40,
  examples: ['2026-01-12T08:00:00Z'],
} as const

/** A span of times. */
export const times = <const D extends string>(description: D) =>
  ({
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: { ge: time, gt: time, le: time, lt: time },
    description: `${description} Times with their zone: ge from, gt after, le until, lt before.`,
  }) as const

/** A span of numbers. */
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

/** The vendor's own highest page size; beyond this offset its behaviour is not documented. */
const mostItems = 10_000

/** How many to return. */
export const limit = {
  type: 'integer',
  minimum: 1,
  maximum: mostItems,
  default: 100,
  description:
    'How many to return at most, and no more than 10 million characters of them; truncated tells when there are more.',
} as const

export const truncated = {
  type: 'boolean',
  description:
    'There are more than are returned, or nobody can tell: raise the limit, or narrow the filters.',
} as const
