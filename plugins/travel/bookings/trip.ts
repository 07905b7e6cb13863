import { least, most, type Booking } from './booking.ts'
import { isPerson, type WantedPerson } from '../person.ts'
import { tripPlaces, type TripPlaces } from './trip-countries.ts'

export type TravelerRole = 'traveler' | 'booker' | 'both'
export type TripStatus = 'confirmed' | 'unconfirmed' | 'cancelled'

export interface Trip extends TripPlaces {
  /** The trip's id; null for a booking without a trip. */
  readonly trip_uuid: string | null
  readonly name: string | null
  readonly status: TripStatus
  readonly role: TravelerRole
  /** Epoch milliseconds. */
  readonly startMs: number | null
  readonly endMs: number | null
  /** In travel order. */
  readonly bookings: readonly Booking[]
}

const confirmedWords = ['CONFIRMED', 'TICKETED', 'ACCEPTED']

/** The person's role in the booking; undefined if they have none. */
export function roleOf(booking: Booking, wanted: WantedPerson): TravelerRole | undefined {
  const travels = booking.travelers.some((person) => isPerson(person, wanted))
  const booked = isPerson(booking.booker, wanted)
  if (travels) return booked ? 'both' : 'traveler'
  return booked ? 'booker' : undefined
}

/**
 * Groups the person's bookings by trip, in travel order. A booking of two trips is in both; a booking without
 * a trip is a trip by itself. Unless the whole trip is cancelled, its cancelled bookings are ignored; a
 * confirmed trip counts only the places of confirmed bookings.
 */
export function groupTrips(bookings: readonly Booking[], wanted: WantedPerson): readonly Trip[] {
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

function describeTrip(trip_uuid: string | null, bookings: readonly Booking[], wanted: WantedPerson): Trip {
  const kept = bookings.filter(({ cancelled }) => !cancelled)
  const counted = kept.length > 0 ? kept : bookings
  const roles = new Set(counted.map((booking) => roleOf(booking, wanted)))
  const confirmed = kept.filter(({ status }) => confirmedWords.includes(status?.toUpperCase() ?? ''))
  return {
    trip_uuid,
    name: bookings.find(({ trip_name }) => trip_name !== null)?.trip_name ?? null,
    status: kept.length === 0 ? 'cancelled' : confirmed.length > 0 ? 'confirmed' : 'unconfirmed',
    role: joined(roles),
    ...tripPlaces(confirmed.length > 0 ? confirmed : counted, counted),
    startMs: least(counted.map(({ startMs }) => startMs)),
    endMs: most(counted.map(({ endMs }) => endMs)),
    bookings,
  }
}

function joined(roles: ReadonlySet<TravelerRole | undefined>): TravelerRole {
  const travels = roles.has('traveler') || roles.has('both')
  const booked = roles.has('booker') || roles.has('both')
  return travels ? (booked ? 'both' : 'traveler') : 'booker'
}

/** Bookings without a time come last. */
const byStart = (a: { readonly startMs: number | null }, b: { readonly startMs: number | null }): number =>
  (a.startMs ?? Number.MAX_VALUE) - (b.startMs ?? Number.MAX_VALUE)
