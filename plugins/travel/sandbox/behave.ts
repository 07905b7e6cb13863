import type { SandboxBehaviour, SandboxCall, SandboxHandler } from 'tocsin/plugin/testing'
import { listBookings, loadBookings } from './booking-routes.ts'
import { commandsOf, type TravelControls } from './commands.ts'
import { faults } from './faults.ts'
import { fixture } from './fixture.ts'
import { createTokens } from './tokens.ts'
import { listUsers, listUsersByCursor } from './user-routes.ts'

/** The platform's calls that the plugin uses. */
export function behave(): SandboxBehaviour<TravelControls> {
  const tokens = createTokens()
  const bookings = loadBookings()
  const allowed = (permission: string, handler: SandboxHandler): SandboxHandler => {
    return (call: SandboxCall) => {
      const client = tokens.clientOf(call)
      if (client === undefined) return { status: 401, json: { error: 'invalid_token' } }
      if (!client.scope.includes(permission))
        return { status: 403, json: fixture('error-403-users-not-enabled') }
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
    faults,
    commands: commandsOf(bookings, controls),
  }
}
