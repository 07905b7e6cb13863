import type { Booking } from './booking.ts'

export const optionalText = { type: ['string', 'null'] } as const
export const numberOrNull = { type: ['number', 'null'] } as const

const person = {
  type: 'object',
  required: ['uuid', 'name', 'email', 'employee_id'],
  additionalProperties: false,
  properties: {
    uuid: { ...optionalText, description: 'The id of a user, where the person is one.' },
    name: optionalText,
    email: optionalText,
    employee_id: optionalText,
  },
} as const

const personOrNull = { ...person, type: ['object', 'null'] } as const

const place = {
  type: ['object', 'null'],
  required: ['country', 'city', 'airport_code'],
  additionalProperties: false,
  properties: {
    country: { ...optionalText, description: 'ISO 3166-1 alpha-2, e.g. GB, if recognized.' },
    city: optionalText,
    airport_code: optionalText,
  },
} as const

/** Booking fields of both skills. */
export const bookingProperties = {
  uuid: { type: 'string' },
  type: { ...optionalText, description: 'FLIGHT, HOTEL, RAIL, CAR or another.' },
  status: { ...optionalText, description: 'CONFIRMED, TICKETED, ACCEPTED, CANCELED, VOIDED or another.' },
  cancelled: { type: 'boolean', description: 'Cancelled, voided, or rejected by the vendor.' },
  vendor: optionalText,
  booking_id: { ...optionalText, description: "The platform's locator." },
  confirmation_number: optionalText,
  start_date: { ...optionalText, description: 'A day, e.g. 2026-01-20.' },
  end_date: optionalText,
  booker: personOrNull,
  travelers: { type: 'array', items: person },
  origin: place,
  destination: place,
  trip_uuids: { type: 'array', items: { type: 'string' } },
  trip_name: optionalText,
} as const

/** Required fields: all. */
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

/** The booking without fields for internal calculations. */
export function summarizeBooking(booking: Booking): Pick<Booking, (typeof bookingRequired)[number]> {
  const { segments: _, startMs: _start, endMs: _end, raw: _raw, ...summary } = booking
  return summary
}
