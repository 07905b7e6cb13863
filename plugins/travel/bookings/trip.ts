import { least, most, type Booking } from './booking.ts'
import { isPerson, type Wanted } from '../person.ts'
import { tripPlaces, type TripPlaces } from './trip-countries.ts'

export type Role = 'traveler' | 'booker' | 'both'
export type TripStatus = 'confirmed' | 'unconfirmed' | 'cancelled'

export interface Trip extends TripPlaces {
  /** Of the trip, null for a booking that belongs to none. */
  readonly trip_uuid: string | null
  readonly name: string | null
  readonly status: TripStatus
  readonly role: Role
  /** Epoch milliseconds. */
  readonly startMs: number | null
  readonly endMs: number | null
  /** In the order of travel. */
  readonly bookings: readonly Booking[]
}

const confirmedWords = ['CONFIRMED', 'TICKETED', 'ACCEPTED']

/** What the person has to do with the booking; undefined where it is nothing. */
export function roleOf(booking: Booking, wanted: Wanted): Role | undefined {
  const travels = booking.travelers.some((person) => isPerson(person, wanted))
  const booked = isPerson(booking.booker, wanted)
  if (travels) return booked ? 'both' : 'traveler'
  return booked ? 'booker' : undefined
}

/**
 * The person's bookings by trip, in the order of travel. A booking of two trips is in both; one of none is a trip by itself. A trip that
 * is not cancelled as a whole is described by the bookings that are left; a confirmed one leads only to the places of confirmed bookings.
 */
export function groupTrips(bookings: readonly Booking[], wanted: Wanted): readonly Trip[] {
  const groups = new Map<string, { readonly trip_uuid: string | null; readonly bookings: Booking[] }>()
  for (const booking of bookings) {
    const trips = booking.trip_uuids.length > 0 ? booking.trip_uuids : [null]
    for (const trip_uuid of trips) {
      const key = trip_uuid ?? `booking ${booking.uuid}`
      const group = groups.get(key) ?? { trip_uuid, bookings: [] }
      group.bookings.push(booking)
      groups.set(key, group)
    }
  }
  return [...groups.values()]
    .map(({ trip_uuid, bookings }) => describeTrip(trip_uuid, bookings.toSorted(byStart), wanted))
    .toSorted(byStart)
}

function describeTrip(trip_uuid: string | null, bookings: readonly Booking[], wanted: Wanted): Trip {
  const kept = bookings.filter(({ cancelled }) => !cancelled)
  const telling = kept.length > 0 ? kept : bookings
  const roles = new Set(telling.map((booking) => roleOf(booking, wanted)))
  const confirmed = kept.filter(({ status }) => confirmedWords.includes(status?.toUpperCase() ?? ''))
  return {
    trip_uuid,
    name: bookings.find(({ trip_name }) => trip_name !== null)?.trip_name ?? null,
    status: kept.length === 0 ? 'cancelled' : confirmed.length > 0 ? 'confirmed' : 'unconfirmed',
    role: joined(roles),
    ...tripPlaces(confirmed.length > 0 ? confirmed : telling, telling),
    startMs: least(telling.map(({ startMs }) => startMs)),
    endMs: most(telling.map(({ endMs }) => endMs)),
    bookings,
  }
}

function joined(roles: ReadonlySet<Role | undefined>): Role {
  const travels = roles.has('traveler') || roles.has('both')
  const booked = roles.has('booker') || roles.has('both')
  return travels ? (booked ? 'both' : 'traveler') : 'booker'
}

/** Those without a time come last. */
const byStart = (a: { readonly startMs: number | null }, b: { readonly startMs: number | null }): number =>
  (a.startMs ?? Number.MAX_VALUE) - (b.startMs ?? Number.MAX_VALUE)
