import { expect } from 'chai'
import { textAt } from '../../core/plugin/index.ts'
import { checkConnection, runSkill, type CannedReply } from '../../core/plugin/testing/index.ts'
import { connection } from '../../plugins/travel/connection.ts'
import { getBookings } from '../../plugins/travel/skills/get-bookings.ts'
import { getUsers } from '../../plugins/travel/skills/get-users.ts'
import { checks, failureOf, keeps, type Rows } from './row.ts'

const settings = { client_id: 'a-client', client_secret: 'a-secret', base_url: 'https://api.navan.com' }

const bookingsOf = async (...replies: readonly CannedReply[]) =>
  (await runSkill(getBookings, { limit: 1000 }, { settings, replies })).output
const usersOf = async (...replies: readonly CannedReply[]) =>
  (await runSkill(getUsers, {}, { settings, replies })).output

/** The position of the page, and the total. */
const place = ['totalPages', 'currentPage', 'pageSize', 'totalElements']
const last: CannedReply = { json: { data: [], page: {} } }
const bookings = keeps((json) => bookingsOf({ json }, last), place)
const users = keeps((json) => usersOf({ json }, last), place)

const tokenRefusal = (status: number) =>
  checks(async (json) => {
    const error = await failureOf(checkConnection(connection, { settings, replies: [{ status, json }] }))
    expect(error).to.include({ name: 'ConnectionError', code: 'token_refused' })
    expect(error['hint']).to.be.a('string')
  })

export const travel: Rows = {
  'bookings-cancelled': bookings,
  'bookings-empty': bookings,
  'bookings-one-user-three-roles': bookings,
  'bookings-page-0-of-2': bookings,
  'bookings-page-1-of-2': bookings,
  'bookings-single-flight': bookings,
  'error-403-users-not-enabled': checks(async (json) => {
    expect(await failureOf(usersOf({ status: 403, json }))).to.include({
      name: 'ConnectionError',
      code: 'http_403',
    })
  }),
  'error-429': checks(async (json) => {
    const error = await failureOf(bookingsOf({ status: 429, headers: { 'retry-after': '7' }, json }))
    expect(error).to.include({ name: 'RetryableError', code: 'http_429', retryAfterMs: 7_000 })
  }),
  'token-error-400': tokenRefusal(400),
  'token-error-401': tokenRefusal(401),
  'token-success': checks(async (json) => {
    const replies = [{ json }, last]
    const { requests } = await runSkill(getBookings, {}, { settings, replies, token: null })
    expect(requests[1]?.headers['authorization']).to.equal(`Bearer ${textAt(json, 'access_token')}`)
  }),
  'users-page-0': users,
  'users-page-with-inactive': users,
}
