import type { Booking } from './booking.ts'
import type { TripPlace } from './place.ts'

/** Kinds of bookings with a departure elsewhere; a rented car or a hotel is at the destination. */
const carrying = ['FLIGHT', 'RAIL']

export interface TripPlaces {
  /** Of the main destination. */
  readonly country: string | null
  readonly city: string | null
  /** Without duplicates, in travel order. */
  readonly countries: readonly string[]
}

/**
 * Destinations of a trip. The country of departure counts only if the trip leads nowhere else: a flight home
 * does not make home a destination. The main destination is the first place outside of that country, or else
 * the first place reached.
 *
 * @param bookings those that count, in travel order
 * @param whole the whole trip, whose first booking gives the departure; default: `bookings`
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

/** The destinations of a booking with a known country. A car or room also counts where it is picked up. */
function placesOf({ type, segments, destination }: Booking): readonly TripPlace[] {
  const isCarrying = carrying.includes(type?.toUpperCase() ?? '')
  const reached = segments.flatMap(({ departure, arrival }) =>
    isCarrying ? [arrival] : [departure, arrival],
  )
  return [...reached, destination].filter(
    (place): place is TripPlace => place !== null && place.country !== null,
  )
}
