import type { Booking } from './booking.ts'
import type { Place } from './place.ts'

/** Those whose departure is where somebody leaves from; a rented car or a hotel stands where somebody already is. */
const carrying = ['FLIGHT', 'RAIL']

export interface TripPlaces {
  /** Of the main destination. */
  readonly country: string | null
  readonly city: string | null
  /** Each once, in the order of travel. */
  readonly countries: readonly string[]
}

/**
 * Where a trip leads to. The country that it starts from counts only when it leads nowhere else: a flight home does not make home a
 * destination. The main destination is the first that a booking names outside of it, or else the first place that is reached.
 *
 * @param bookings those that count, in the order of travel
 * @param whole all of the trip, of which the first tells where it starts; default: those that count
 */
export function tripPlaces(bookings: readonly Booking[], whole = bookings): TripPlaces {
  const start = startOf(whole)
  const reached = bookings.flatMap(placesOf)
  const abroad = reached.filter(({ country }) => country !== start)
  const counted = abroad.length > 0 ? abroad : reached
  const named = bookings.flatMap(({ destination }) => (destination === null ? [] : [destination]))
  const main = named.find((place) => counted.some(({ country }) => country === place.country)) ?? counted[0]
  const countries = counted.flatMap(({ country }) => country ?? [])
  return { country: main?.country ?? null, city: main?.city ?? null, countries: [...new Set(countries)] }
}

function startOf(bookings: readonly Booking[]): string | null {
  const first = bookings.find(({ type }) => carrying.includes(type?.toUpperCase() ?? ''))
  return first?.segments[0]?.departure?.country ?? first?.origin?.country ?? null
}

/** The places that a booking leads to, of which the country is known. A car or a room also stands where it is taken over. */
function placesOf({ type, segments, destination }: Booking): readonly Place[] {
  const isCarrying = carrying.includes(type?.toUpperCase() ?? '')
  const reached = segments.flatMap(({ departure, arrival }) =>
    isCarrying ? [arrival] : [departure, arrival],
  )
  return [...reached, destination].filter((place): place is Place => place !== null && place.country !== null)
}
