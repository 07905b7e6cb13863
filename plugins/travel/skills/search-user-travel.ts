import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import {
  bookingProperties,
  bookingRequired,
  summarizeBooking,
  optionalText,
} from '../bookings/booking-schema.ts'
import { decodeBooking, type Booking } from '../bookings/booking.ts'
import { connection } from '../connection.ts'
import { londonTrip } from '../bookings/london-trip.ts'
import { readAllPages } from '../read-all.ts'
import { searchWindow, type SearchWindow } from '../bookings/search-window.ts'
import { epochSeconds, isoText } from '../times.ts'
import { groupTrips, roleOf, type Trip } from '../bookings/trip.ts'

const time = { type: 'string', format: 'date-time' } as const

const trip = {
  type: 'object',
  required: [
    'trip_uuid',
    'name',
    'status',
    'role',
    'starts_at',
    'ends_at',
    'country',
    'city',
    'countries',
    'bookings',
  ],
  additionalProperties: false,
  properties: {
    trip_uuid: {
      ...optionalText,
      description: 'Null for a booking without a trip, which counts as its own trip.',
    },
    name: optionalText,
    status: {
      type: 'string',
      enum: ['confirmed', 'unconfirmed', 'cancelled'],
      description: 'cancelled: all of its bookings are cancelled; confirmed: at least one is confirmed.',
    },
    role: {
      type: 'string',
      enum: ['traveler', 'booker', 'both'],
      description: 'The person’s role; a booker does not travel.',
    },
    starts_at: {
      ...optionalText,
      description: 'ISO 8601 in UTC; the start of the first day if only dates are known.',
    },
    ends_at: {
      ...optionalText,
      description: 'ISO 8601 in UTC; the end of the last day if only dates are known.',
    },
    country: {
      ...optionalText,
      description: 'Of the main destination: ISO 3166-1 alpha-2, e.g. GB, if recognized.',
    },
    city: { ...optionalText, description: 'Of the main destination.' },
    countries: {
      type: 'array',
      items: { type: 'string' },
      description:
        'All destinations, in travel order. The country of departure counts only if the trip leads nowhere else; for a ' +
        'confirmed trip, only confirmed bookings count.',
    },
    bookings: {
      type: 'array',
      items: {
        type: 'object',
        required: bookingRequired,
        additionalProperties: false,
        properties: bookingProperties,
      },
    },
  },
} as const

export const searchUserTravel = defineSkill({
  name: 'search_user_travel',
  title: 'Search Travel Platform User Travel',
  description:
    "A person's bookings, grouped by trip: trips that are ongoing now, at another time, or in a time range. Cancelled ones are left " +
    'out by default.',
  docs: 'https://app.navan.com/app/helpcenter/articles/travel/admin/other-integrations/booking-data-integration#bookings',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['email'],
    properties: {
      email: {
        type: 'string',
        minLength: 3,
        maxLength: 320,
        description: 'E-mail address of the person, ignoring case.',
      },
      user_id: {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        description: 'The person’s id on the platform: bookings with this id also match, with any address.',
      },
      at: {
        ...time,
        description:
          'Trips that are ongoing at this time, plus or minus a day. Default, without from and to: now.',
      },
      from: { ...time, description: 'Trips that are ongoing at this time or later. Default, with to: now.' },
      to: {
        ...time,
        description: 'Trips that are ongoing at this time or earlier. Default, with from: now.',
      },
      longest_trip_days: {
        type: 'integer',
        minimum: 1,
        maximum: 365,
        default: 30,
        description:
          'Reads bookings that start within this many days before and after the time. A trip whose bookings are further apart may be missed.',
      },
      role: {
        type: 'string',
        enum: ['traveler', 'any'],
        default: 'traveler',
        description: 'any: also trips booked by the person for others.',
      },
      include_cancelled: { type: 'boolean', default: false },
    },
  },
  output: {
    type: 'object',
    required: ['trips', 'counts', 'partial'],
    additionalProperties: false,
    properties: {
      trips: { type: 'array', items: trip, description: 'In travel order.' },
      counts: {
        type: 'object',
        required: ['trips', 'undated', 'read', 'total'],
        additionalProperties: false,
        properties: {
          trips: { type: 'integer' },
          undated: { type: 'integer', description: 'Trips left out because their time is unknown.' },
          read: { type: 'integer', description: 'Bookings of all people that were read.' },
          total: {
            type: ['number', 'null'],
            description: 'The platform’s total for the days read.',
          },
        },
      },
      partial: {
        type: 'boolean',
        description: 'There were too many bookings to read all, or one was unreadable; trips may be missing.',
      },
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'No trip for this address',
      input: { email: 'nobody@example.com', at: '2026-01-21T12:00:00Z' },
      output: { trips: [], counts: { trips: 0, undated: 0, read: 6, total: 6 }, partial: false },
    },
    {
      title: 'An ongoing trip',
      input: { email: 'Ana@example.com', at: '2026-01-21T12:00:00Z' },
      output: {
        trips: [londonTrip],
        counts: { trips: 1, undated: 0, read: 6, total: 6 },
        partial: false,
      },
    },
  ],
  async run(input, { http, nowMs }) {
    const window = searchWindow(input, nowMs)
    const { items, read, total, complete, leftOut } = await readAllPages<Booking>(http, {
      path: '/v1/bookings',
      query: {
        createdFrom: epochSeconds(window.createdFromMs),
        createdTo: epochSeconds(window.createdToMs),
        startDateFrom: epochSeconds(window.startFromMs),
        startDateTo: epochSeconds(window.startToMs),
      },
      limit: 1000,
      decode: decodeBooking,
      idOf: ({ uuid }) => uuid,
      keep: (booking) => {
        const role = roleOf(booking, input)
        if (role === undefined || (role === 'booker' && input.role !== 'any')) return false
        return !booking.cancelled || input.include_cancelled === true
      },
    })
    const found = groupTrips(items, input)
    const trips = found.filter((trip) => isUnderWay(trip, window))
    return {
      trips: trips.map(toOutput),
      counts: { trips: trips.length, undated: found.filter(isUndated).length, read, total },
      partial: !complete || leftOut.unreadable !== undefined,
      ...leftOut,
    }
  },
})

const isUndated = ({ startMs, endMs }: Trip): boolean => startMs === null && endMs === null

function isUnderWay({ startMs, endMs }: Trip, { fromMs, toMs }: SearchWindow): boolean {
  const start = startMs ?? endMs
  const end = endMs ?? startMs
  return start !== null && end !== null && start <= toMs && end >= fromMs
}

function toOutput({ startMs, endMs, country, city, countries, bookings, ...trip }: Trip) {
  const times = { starts_at: isoText(startMs), ends_at: isoText(endMs) }
  return { ...trip, ...times, country, city, countries, bookings: bookings.map(summarizeBooking) }
}
