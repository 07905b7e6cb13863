import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { bookingProperties, bookingRequired, summarize, textOrNull } from '../bookings/booking-schema.ts'
import { decodeBooking, type Booking } from '../bookings/booking.ts'
import { connection } from '../connection.ts'
import { londonTrip } from '../bookings/london-trip.ts'
import { readAll } from '../read-all.ts'
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
      ...textOrNull,
      description: 'Null for a booking that belongs to no trip; it is one by itself.',
    },
    name: textOrNull,
    status: {
      type: 'string',
      enum: ['confirmed', 'unconfirmed', 'cancelled'],
      description: 'cancelled: all of its bookings are; confirmed: at least one of the others is.',
    },
    role: {
      type: 'string',
      enum: ['traveler', 'booker', 'both'],
      description: 'What the person has to do with it; a booker stays at home.',
    },
    starts_at: {
      ...textOrNull,
      description: 'ISO 8601 in UTC; by dates alone, the beginning of the first day.',
    },
    ends_at: { ...textOrNull, description: 'ISO 8601 in UTC; by dates alone, the end of the last day.' },
    country: {
      ...textOrNull,
      description: 'Of the main destination: ISO 3166-1 alpha-2, e.g. GB, where it is recognized.',
    },
    city: { ...textOrNull, description: 'Of the main destination.' },
    countries: {
      type: 'array',
      items: { type: 'string' },
      description:
        'All that the trip leads to, in the order of travel. The one that it starts from counts only when it leads nowhere else; of a ' +
        'confirmed trip, only those of confirmed bookings.',
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
    "A person's bookings, grouped by trip: those under way now, at another time, or within a span of time. Cancelled ones are left " +
    'out unless asked for.',
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
        description: 'Of the person, ignoring letter case.',
      },
      user_id: {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        description:
          'Id of the same person on the platform: bookings with it count too, whatever their address.',
      },
      at: {
        ...time,
        description: 'Trips under way at this time, give or take a day. Default, without from and to: now.',
      },
      from: { ...time, description: 'Trips under way at this time or later. Default, with to: now.' },
      to: { ...time, description: 'Trips under way at this time or earlier. Default, with from: now.' },
      longest_trip_days: {
        type: 'integer',
        minimum: 1,
        maximum: 365,
        default: 30,
        description:
          'Bookings that begin so many days before and after the time are read. A trip whose bookings are further apart may be missed.',
      },
      role: {
        type: 'string',
        enum: ['traveler', 'any'],
        default: 'traveler',
        description: 'any: also what the person has booked for others.',
      },
      include_cancelled: { type: 'boolean', default: false },
    },
  },
  output: {
    type: 'object',
    required: ['trips', 'counts', 'partial'],
    additionalProperties: false,
    properties: {
      trips: { type: 'array', items: trip, description: 'In the order of travel.' },
      counts: {
        type: 'object',
        required: ['trips', 'undated', 'read', 'total'],
        additionalProperties: false,
        properties: {
          trips: { type: 'integer' },
          undated: { type: 'integer', description: 'Trips left out since nobody knows when they are.' },
          read: { type: 'integer', description: 'Bookings of all people that were looked at.' },
          total: {
            type: ['number', 'null'],
            description: 'Bookings of all people in the days that were read.',
          },
        },
      },
      partial: {
        type: 'boolean',
        description:
          'There were too many bookings to look at all of them, or one could not be read; trips may be missing.',
      },
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'Nobody of that address travels',
      input: { email: 'nobody@example.com', at: '2026-01-21T12:00:00Z' },
      output: { trips: [], counts: { trips: 0, undated: 0, read: 6, total: 6 }, partial: false },
    },
    {
      title: 'A trip under way',
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
    const { items, read, total, complete, leftOut } = await readAll<Booking>(http, {
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
  return { ...trip, ...times, country, city, countries, bookings: bookings.map(summarize) }
}
