import type { SandboxBehaviour, SandboxCall, SandboxHandler, SandboxReply } from 'tocsin/plugin/testing'
import { listBookings, loadBookings } from './booking-routes.ts'
import { travelCommands, type TravelControls } from './commands.ts'
import { travelFaults } from './faults.ts'
import { travelFixture } from './fixture.ts'
import { createTokens } from './tokens.ts'
import { objectsAt } from 'tocsin/plugin'
import { badRequest, pageAnswer, readPageQuery } from './page-answer.ts'

/** The platform's calls that the plugin uses. */
export function behave(): SandboxBehaviour<TravelControls> {
  const tokens = createTokens()
  const bookings = loadBookings()
  const allowed = (permission: string, handler: SandboxHandler): SandboxHandler => {
    return (call: SandboxCall) => {
      const client = tokens.clientOf(call)
      if (client === undefined) return { status: 401, json: { error: 'invalid_token' } }
      if (!client.scope.includes(permission))
        return { status: 403, json: travelFixture('error-403-users-not-enabled') }
      return handler(call)
    }
  }
  const controls: TravelControls = {
    book: (booking) => void bookings.set(String(booking['uuid']), booking),
    cancel(uuid) {
      const booking = bookings.get(uuid)
      if (booking === undefined) throw new Error(`no booking has the uuid ${uuid}`)
      const cancelledAt = '2026-01-12T08:00:00.000Z'
      bookings.set(uuid, { ...booking, bookingStatus: 'CANCELED', cancelledAt, lastModified: cancelledAt })
    },
    expireTokens: tokens.expireAll,
    tokensIssued: tokens.issued,
  }
  return {
    answer: {
      'POST /ta-auth/oauth/token': tokens.issue,
      'GET /v1/bookings': allowed('bookings:read', ({ query }) =>
        listBookings([...bookings.values()], query),
      ),
      'GET /v1/users': allowed('users:read', ({ query }) => listUsers(query)),
      'GET /travel/v1/users': allowed('users:read', ({ query }) => listUsersByCursor(query)),
    },
    controls,
    faults: travelFaults,
    commands: travelCommands(bookings, controls),
  }
}

const users = () =>
  ['users-page-0', 'users-page-with-inactive'].flatMap((name) => objectsAt(travelFixture(name), 'data'))

/** GET `/v1/users`. */
function listUsers(query: URLSearchParams): SandboxReply {
  const page = readPageQuery(query, 20)
  return page === undefined ? badRequest('page begins with 0, size is 1 to 100') : pageAnswer(users(), page)
}

/**
 * GET `/travel/v1/users`, as in some descriptions of the API: at most three per page, and a cursor to the
 * next.
 */
function listUsersByCursor(query: URLSearchParams): SandboxReply {
  const from = Number(/^after-(\d+)$/.exec(query.get('cursor') ?? 'after-0')?.[1] ?? Number.NaN)
  if (Number.isNaN(from)) return badRequest('the cursor is not one of ours')
  const all = users()
  const to = from + Math.min(3, Number(query.get('page_size') ?? 3))
  return { json: { data: all.slice(from, to), next_cursor: to < all.length ? `after-${to}` : null } }
}
