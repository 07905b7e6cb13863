import { objectsAt, textAt, valueAt, type JsonObject, type SandboxCommand } from 'tocsin/plugin'
import { travelFixture } from './fixture.ts'

/** Controls of a running sandbox. */
export interface TravelControls {
  /** Adds a booking, or replaces the one with its uuid. */
  book(booking: JsonObject): void
  /** Cancels a booking, as its traveler would. */
  cancel(uuid: string): void
  /** Invalidates all issued tokens. */
  expireTokens(): void
  /** Number of issued tokens. */
  tokensIssued(): number
}

const dayMs = 86_400_000

/** Actions of a travel desk. */
export function travelCommands(
  bookings: ReadonlyMap<string, JsonObject>,
  controls: TravelControls,
): readonly SandboxCommand[] {
  return [
    {
      usage: 'bookings',
      description: 'every booking, with its number',
      run: () => [...bookings.values()].map((booking, index) => `${index + 1}  ${show(booking)}`).join('\n'),
    },
    {
      usage: 'book <e-mail> <country> <from> <to>',
      description: 'books a return flight, e.g. book kim@example.com BR 2026-03-02 2026-03-06',
      run(email = '', country = '', from = '', to = '') {
        const booking = flight(bookings.size + 1, email, country, [from, to])
        controls.book(booking)
        return show(booking)
      },
    },
    {
      usage: 'cancel <number>',
      description: 'cancel a booking',
      run(number = '') {
        const uuid = [...bookings.keys()][Number(number) - 1]
        if (uuid === undefined) throw new Error(`there is no booking ${number}; 'bookings' lists them`)
        controls.cancel(uuid)
        return show(bookings.get(uuid))
      },
    },
    {
      usage: 'expire',
      description: 'invalidates all issued tokens',
      run() {
        controls.expireTokens()
        return 'the next request is refused and must get a new token'
      },
    },
  ]
}

function show(booking: unknown): string {
  const at = (...path: readonly string[]): string => {
    const [last = '', ...before] = path.toReversed()
    return textAt(before.toReversed().reduce(valueAt, booking), last) ?? '-'
  }
  const people = objectsAt(booking, 'passengers').map((one) => textAt(valueAt(one, 'person'), 'email') ?? '-')
  const days = `${at('startDate')} to ${at('endDate')}`
  const way = `${at('origin', 'country')} to ${at('destination', 'country')}`
  return [people.join(', '), at('bookingType'), way, days, at('bookingStatus')].join('  ')
}

/** The flight of the samples for another person, place and time. */
function flight(
  number: number,
  email: string,
  country: string,
  [from, to]: readonly [string, string],
): JsonObject {
  if (!email.includes('@')) throw new Error(`'${email}' is not an e-mail address`)
  if (!/^[A-Z]{2}$/i.test(country))
    throw new Error(`'${country}' is not a country code of two letters, e.g. BR`)
  for (const day of [from, to]) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
      throw new Error(`'${day}' is not a day (YYYY-MM-DD)`)
  }
  const [sample] = objectsAt(travelFixture('bookings-single-flight'), 'data')
  const [passenger] = objectsAt(sample, 'passengers')
  const person = {
    ...(valueAt(passenger, 'person') as JsonObject),
    email,
    name: email.split('@', 1)[0],
    uuid: `00000100-1111-4111-8111-${String(number).padStart(12, '0')}`,
  }
  const there = { country: country.toUpperCase(), state: null, city: null, airportCode: null, address: null }
  return {
    ...sample,
    uuid: `b0000100-2222-4222-8222-${String(number).padStart(12, '0')}`,
    tripUuids: [],
    tripName: null,
    created: new Date(Date.parse(from) - 14 * dayMs).toISOString(),
    startDate: from,
    endDate: to,
    destination: there,
    segments: [],
    passengers: [{ ...passenger, person }],
    booker: person,
  }
}
