import { isObject, objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { statuses, types } from '../bookings/booking-query.ts'
import { travelFixture } from './fixture.ts'
import { badRequest, pageAnswer, readPageQuery } from './page-answer.ts'

const names = ['page-0-of-2', 'page-1-of-2', 'cancelled', 'one-user-three-roles', 'single-flight']
const known = [
  'createdFrom',
  'createdTo',
  'startDateFrom',
  'startDateTo',
  'bookingStatus',
  'bookingType',
  'page',
  'size',
]

/** All bookings of the samples by uuid. */
export function loadBookings(): Map<string, JsonObject> {
  const all = names.flatMap((name) => objectsAt(travelFixture(`bookings-${name}`), 'data'))
  return new Map(all.map((booking) => [textAt(booking, 'uuid') ?? '', booking]))
}

/** GET `/v1/bookings`: requires both ends of the time of booking, in whole seconds. */
export function listBookings(bookings: readonly JsonObject[], query: URLSearchParams): SandboxReply {
  const foreign = [...query.keys()].find((name) => !known.includes(name))
  if (foreign !== undefined) return badRequest(`Unknown parameter ${foreign}`)
  const page = readPageQuery(query, 10)
  if (page === undefined) return badRequest('page begins with 0, size is 1 to 100')
  for (const name of ['createdFrom', 'createdTo']) {
    if (!query.has(name)) return badRequest(`${name} is required`)
  }
  const times = known.slice(0, 4)
  const wrong = times.find((name) => query.has(name) && !/^\d{1,10}$/.test(query.get(name) ?? ''))
  if (wrong !== undefined) return badRequest(`${wrong} must be in seconds since 1970`)
  const words = { bookingStatus: statuses, bookingType: types }
  for (const [name, known] of Object.entries(words)) {
    const word = query.get(name)
    if (word !== null && !known.some((one) => one === word)) return badRequest(`${name} has no value ${word}`)
  }
  const fitting = bookings.filter((booking) => isObject(booking) && fits(booking, query))
  return pageAnswer(fitting, page)
}

function fits(booking: JsonObject, query: URLSearchParams): boolean {
  return (
    within(textAt(booking, 'created'), query, 'created') &&
    within(textAt(booking, 'startDate'), query, 'startDate') &&
    [null, valueAt(booking, 'bookingStatus')].includes(query.get('bookingStatus')) &&
    [null, valueAt(booking, 'bookingType')].includes(query.get('bookingType'))
  )
}

function within(time: string | null, query: URLSearchParams, name: string): boolean {
  const at = Date.parse(time ?? '') / 1000
  const from = Number(query.get(`${name}From`) ?? 0)
  const to = Number(query.get(`${name}To`) ?? Infinity)
  // A booking without a time matches only if no time is requested.
  return Number.isNaN(at) ? from === 0 && to === Infinity : at >= from && at <= to
}
