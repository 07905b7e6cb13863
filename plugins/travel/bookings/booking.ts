import { objectsAt, SkillError, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import { decodePerson, type Traveler } from '../person.ts'
import { decodePlace, type TripPlace } from './place.ts'
import { dayEndMs, dayStartMs, parseEpochMs } from '../times.ts'

/** The booking fields that playbooks need. Only the uuid is always present. */
export interface Booking {
  readonly uuid: string
  readonly type: string | null
  /** As the platform wrote it, e.g. `CONFIRMED`, `CANCELED`. */
  readonly status: string | null
  readonly cancelled: boolean
  readonly vendor: string | null
  readonly booking_id: string | null
  readonly confirmation_number: string | null
  readonly start_date: string | null
  readonly end_date: string | null
  readonly booker: Traveler | null
  readonly travelers: readonly Traveler[]
  readonly origin: TripPlace | null
  readonly destination: TripPlace | null
  readonly segments: readonly TripSegment[]
  readonly trip_uuids: readonly string[]
  readonly trip_name: string | null
  /** Epoch milliseconds: from its segments, or else the whole days of its dates, in UTC. */
  readonly startMs: number | null
  readonly endMs: number | null
  readonly raw: JsonObject
}

export interface TripSegment {
  readonly departure: TripPlace | null
  readonly arrival: TripPlace | null
  /** Epoch milliseconds. */
  readonly startMs: number | null
  readonly endMs: number | null
}

const cancelledWords = ['CANCELED', 'CANCELLED', 'VOIDED', 'REJECTED_BY_PROVIDER']

/** Throws SkillError `bad_response` for a booking without a uuid. */
export function decodeBooking(raw: JsonObject): Booking {
  const uuid = textAt(raw, 'uuid')
  if (uuid === null) throw new SkillError('bad_response', 'the platform returned a booking without a uuid')
  const status = textAt(raw, 'bookingStatus')
  const segments = objectsAt(raw, 'segments').map(decodeSegment)
  const start_date = textAt(raw, 'startDate')
  const end_date = textAt(raw, 'endDate')
  return {
    uuid,
    type: textAt(raw, 'bookingType'),
    status,
    cancelled: cancelledWords.includes(status?.toUpperCase() ?? '') || textAt(raw, 'cancelledAt') !== null,
    vendor: textAt(raw, 'vendor'),
    booking_id: textAt(raw, 'bookingId'),
    confirmation_number: textAt(raw, 'confirmationNumber'),
    start_date,
    end_date,
    booker: decodePerson(valueAt(raw, 'booker')),
    travelers: objectsAt(raw, 'passengers').flatMap((passenger) => {
      const person = decodePerson(valueAt(passenger, 'person'))
      return person === null ? [] : [person]
    }),
    origin: decodePlace(valueAt(raw, 'origin')),
    destination: decodePlace(valueAt(raw, 'destination')),
    segments,
    trip_uuids: textsAt(raw, 'tripUuids'),
    trip_name: textAt(raw, 'tripName'),
    startMs: least(segments.map(({ startMs }) => startMs)) ?? dayStartMs(start_date),
    endMs: most(segments.map(({ endMs }) => endMs)) ?? dayEndMs(end_date ?? start_date),
    raw,
  }
}

function decodeSegment(segment: JsonObject): TripSegment {
  return {
    departure: decodePlace(valueAt(segment, 'departure')),
    arrival: decodePlace(valueAt(segment, 'arrival')),
    startMs:
      parseEpochMs(valueAt(segment, 'startTimestamp')) ??
      parseEpochMs(valueAt(segment, 'startLocalDateTime')),
    endMs:
      parseEpochMs(valueAt(segment, 'endTimestamp')) ?? parseEpochMs(valueAt(segment, 'endLocalDateTime')),
  }
}

function textsAt(value: JsonObject, key: string): readonly string[] {
  const list = valueAt(value, key)
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string' && item !== '') : []
}

/** Null if there is none. */
export const least = (times: readonly (number | null)[]): number | null => extreme(times, Math.min)
export const most = (times: readonly (number | null)[]): number | null => extreme(times, Math.max)

function extreme(times: readonly (number | null)[], choose: (...times: number[]) => number): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : choose(...known)
}
