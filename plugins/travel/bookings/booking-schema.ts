import type { Booking } from './booking.ts'

export const textOrNull = { type: ['string', 'null'] } as const
export const numberOrNull = { type: ['number', 'null'] } as const

const person = {
  type: 'object',
  required: ['uuid', 'name', 'email', 'employee_id'],
  additionalProperties: false,
  properties: {
    uuid: { ...textOrNull, description: 'The id of a user, where the person is one.' },
    name: textOrNull,
    email: textOrNull,
    employee_id: textOrNull,
  },
} as const

const personOrNull = { ...person, type: ['object', 'null'] } as const

const place = {
  type: ['object', 'null'],
  required: ['country', 'city', 'airport_code'],
  additionalProperties: false,
  properties: {
    country: { ...textOrNull, description: 'ISO 3166-1 alpha-2, e.g. GB, where it is recognized.' },
    city: textOrNull,
    airport_code: textOrNull,
  },
} as const

/** What both skills say of a booking. */
export const bookingProperties = {
  uuid: { type: 'string' },
  type: { ...textOrNull, description: 'FLIGHT, HOTEL, RAIL, CAR or another.' },
  status: { ...textOrNull, description: 'CONFIRMED, TICKETED, ACCEPTED, CANCELED, VOIDED or another.' },
  cancelled: { type: 'boolean', description: 'Cancelled, voided, or rejected by the vendor.' },
  vendor: textOrNull,
  booking_id: { ...textOrNull, description: "The platform's locator." },
  confirmation_number: textOrNull,
  start_date: { ...textOrNull, description: 'A day, e.g. 2026-01-20.' },
  end_date: textOrNull,
  booker: personOrNull,
  travelers: { type: 'array', items: person },
  origin: place,
  destination: place,
  trip_uuids: { type: 'array', items: { type: 'string' } },
  trip_name: textOrNull,
} as const

/** Those of them that are always there: all. */
export const bookingRequired = [
  'uuid',
  'type',
  'status',
  'cancelled',
  'vendor',
  'booking_id',
  'confirmation_number',
  'start_date',
  'end_date',
  'booker',
  'travelers',
  'origin',
  'destination',
  'trip_uuids',
  'trip_name',
] as const

/** The booking without what is only for computing. */
export function summarize(booking: Booking): Pick<Booking, (typeof bookingRequired)[number]> {
  const { segments: _, startMs: _start, endMs: _end, raw: _raw, ...summary } = booking
  return summary
}
