import { defineSkill, leftOutProperties, numberAt, textAt, valueAt } from 'tocsin/plugin'
import {
  bookingProperties,
  bookingRequired,
  numberOrNull,
  summarizeBooking,
  optionalText,
} from '../bookings/booking-schema.ts'
import { decodeBooking, type Booking } from '../bookings/booking.ts'
import { bookingQuery, statuses, types } from '../bookings/booking-query.ts'
import { connection } from '../connection.ts'
import { isPerson } from '../person.ts'
import { readAllPages } from '../read-all.ts'

const time = { type: 'string', format: 'date-time' } as const

const booking = {
  type: 'object',
  required: [
    ...bookingRequired,
    'created',
    'last_modified',
    'purpose',
    'currency',
    'grand_total',
    'usd_grand_total',
    'out_of_policy',
    'approval_status',
    'raw',
  ],
  additionalProperties: false,
  properties: {
    ...bookingProperties,
    created: { ...optionalText, description: 'ISO 8601, as the platform wrote it.' },
    last_modified: optionalText,
    purpose: optionalText,
    currency: optionalText,
    grand_total: { ...numberOrNull, description: 'In `currency`.' },
    usd_grand_total: numberOrNull,
    out_of_policy: { type: ['boolean', 'null'] },
    approval_status: optionalText,
    raw: {
      type: 'object',
      additionalProperties: true,
      description: 'The booking as the platform returned it. It may contain passports and names on cards.',
    },
  },
} as const

export const getBookings = defineSkill({
  name: 'get_bookings',
  title: 'Get Travel Platform Bookings',
  description:
    'Bookings of the company, for verification, reconciliation and reporting: by time of booking, start, status, kind, person ' +
    'and number.',
  docs: 'https://app.navan.com/app/helpcenter/articles/travel/admin/other-integrations/booking-data-integration#bookings',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      created_from: {
        ...time,
        description:
          'Booked at this time or later. Default: 400 days before start_date_from, or 30 days before created_to without it.',
      },
      created_to: { ...time, description: 'Booked at this time or earlier. Default: now.' },
      start_date_from: { ...time, description: 'Starts at this time or later.' },
      start_date_to: { ...time, description: 'Starts at this time or earlier.' },
      booking_status: {
        type: 'string',
        pattern: '^[A-Za-z_]{1,50}$',
        patternErrorMessage: "must be at most 50 letters and '_'",
        examples: statuses,
        description: 'Other values are rejected. Case does not matter.',
      },
      booking_type: {
        type: 'string',
        pattern: '^[A-Za-z_]{1,50}$',
        patternErrorMessage: "must be at most 50 letters and '_'",
        examples: types,
        description: 'Other values are rejected. Case does not matter.',
      },
      email: {
        type: 'string',
        minLength: 3,
        maxLength: 320,
        description:
          'Of a traveler or the booker, ignoring case. Filtered here: the platform cannot filter by it.',
      },
      user_id: {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        description: 'Id of a traveler or the booker. Filtered here.',
      },
      reference: {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        description: 'The uuid, the locator or the confirmation number, ignoring case. Filtered here.',
      },
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100, description: 'Bookings to return.' },
    },
  },
  output: {
    type: 'object',
    required: ['bookings', 'counts', 'partial'],
    additionalProperties: false,
    properties: {
      bookings: { type: 'array', items: booking },
      counts: {
        type: 'object',
        required: ['returned', 'read', 'total'],
        additionalProperties: false,
        properties: {
          returned: { type: 'integer' },
          read: { type: 'integer', description: 'Number read from the platform, before filtering here.' },
          total: {
            ...numberOrNull,
            description: 'The platform’s total, before filtering here.',
          },
        },
      },
      partial: {
        type: 'boolean',
        description: 'There may be more bookings, or one without a uuid was left out.',
      },
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'No such booking',
      input: {
        reference: 'NONE00',
        created_from: '2026-01-01T00:00:00Z',
        created_to: '2026-01-31T00:00:00Z',
      },
      output: { bookings: [], counts: { returned: 0, read: 6, total: 6 }, partial: false },
    },
  ],
  async run(input, { http, nowMs }) {
    const { email, user_id, reference } = input
    const compared = email !== undefined || user_id !== undefined || reference !== undefined
    const keep = (booking: Booking): boolean =>
      (reference === undefined || hasReference(booking, reference)) &&
      ((email === undefined && user_id === undefined) ||
        [...booking.travelers, booking.booker].some((person) => isPerson(person, { email, user_id })))
    const { items, read, total, complete, leftOut } = await readAllPages<Booking>(http, {
      path: '/v1/bookings',
      query: bookingQuery(input, nowMs),
      limit: input.limit ?? 100,
      decode: decodeBooking,
      idOf: ({ uuid }) => uuid,
      keep: compared ? keep : undefined,
    })
    return {
      bookings: items.map(toOutput),
      counts: { returned: items.length, read, total },
      partial: !complete || leftOut.unreadable !== undefined,
      ...leftOut,
    }
  },
})

function hasReference({ uuid, booking_id, confirmation_number }: Booking, reference: string): boolean {
  const wanted = reference.trim().toLowerCase()
  return [uuid, booking_id, confirmation_number].some((number) => number?.toLowerCase() === wanted)
}

function toOutput(booking: Booking) {
  const { raw } = booking
  const outOfPolicy = valueAt(raw, 'outOfPolicy')
  return {
    ...summarizeBooking(booking),
    created: textAt(raw, 'created'),
    last_modified: textAt(raw, 'lastModified'),
    purpose: textAt(raw, 'purpose'),
    currency: textAt(raw, 'currency'),
    grand_total: numberAt(raw, 'grandTotal'),
    usd_grand_total: numberAt(raw, 'usdGrandTotal'),
    out_of_policy: typeof outOfPolicy === 'boolean' ? outOfPolicy : null,
    approval_status: textAt(raw, 'approvalStatus'),
    raw,
  }
}
