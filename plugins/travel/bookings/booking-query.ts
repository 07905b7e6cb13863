import { SkillError, type QueryValue } from 'tocsin/plugin'
import { longestLeadMs } from './search-window.ts'
import { epochSeconds, isoText } from '../times.ts'

const defaultSpanMs = 30 * 86_400_000

/** All values in public descriptions of the API. */
export const statuses = [
  'CANCELED',
  'VOIDED',
  'CONFIRMED',
  'TICKETED',
  'ACCEPTED',
  'UNKNOWN',
  'REJECTED_BY_PROVIDER',
] as const
export const types = ['HOTEL', 'FLIGHT', 'CAR', 'RAIL', 'TRANSPORTATION', 'BLACK_CAR'] as const

export interface BookingFilters {
  readonly created_from?: string | undefined
  readonly created_to?: string | undefined
  readonly start_date_from?: string | undefined
  readonly start_date_to?: string | undefined
  readonly booking_status?: string | undefined
  readonly booking_type?: string | undefined
}

/**
 * The parameters of `/v1/bookings`. The platform requires the time of booking, in whole seconds: as given, or
 * a window before the trip begins, or the last 30 days. Throws SkillError `invalid_time` for a range that
 * ends before it starts,
 * `unknown_word` for an unknown status or kind.
 */
export function bookingQuery(filters: BookingFilters, nowMs: number): Readonly<Record<string, QueryValue>> {
  const startFrom = timeMs(filters.start_date_from)
  const startTo = timeMs(filters.start_date_to)
  const createdTo = timeMs(filters.created_to) ?? nowMs
  const begins = startFrom ?? startTo
  const earliest = begins === undefined ? createdTo - defaultSpanMs : begins - longestLeadMs
  const createdFrom = timeMs(filters.created_from) ?? earliest
  if (filters.created_from === undefined && createdFrom > createdTo) {
    throw new SkillError(
      'invalid_time',
      `created_to is before ${isoText(createdFrom)}, the earliest possible time of booking`,
      {
        hint: 'set created_from to a time before created_to; its default is 400 days before the bookings begin',
      },
    )
  }
  checkSpan(createdFrom, createdTo, 'created')
  checkSpan(startFrom, startTo, 'start_date')
  return {
    createdFrom: epochSeconds(createdFrom),
    createdTo: Math.ceil(createdTo / 1000),
    startDateFrom: startFrom === undefined ? undefined : epochSeconds(startFrom),
    startDateTo: startTo === undefined ? undefined : Math.ceil(startTo / 1000),
    bookingStatus: knownWord(filters.booking_status, 'booking_status', statuses),
    bookingType: knownWord(filters.booking_type, 'booking_type', types),
  }
}

/** The value in the platform's spelling. For an unknown value, the platform would return no bookings. */
function knownWord(given: string | undefined, name: string, words: readonly string[]): string | undefined {
  if (given === undefined) return undefined
  const upper = given.toUpperCase()
  const word = upper === 'CANCELLED' ? 'CANCELED' : upper
  if (words.includes(word)) return word
  throw new SkillError('unknown_word', `the platform has no such ${name}: ${given}`, {
    hint: `one of ${words.join(', ')}`,
  })
}

const timeMs = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text)

function checkSpan(from: number | undefined, to: number | undefined, name: string): void {
  if (from === undefined || to === undefined || from <= to) return
  const shown = [from, to].map((ms) => new Date(ms).toISOString()).join(' to ')
  throw new SkillError('invalid_time', `${name}_from is after ${name}_to: ${shown}`)
}
