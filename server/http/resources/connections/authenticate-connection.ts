import { ForbiddenError, TimeoutError } from '../../../../core/errors/errors.ts'
import { ConnectionError, TocsinError } from '../../../../core/plugin/index.ts'
import { defineRoute } from '../../routing/route.ts'
import { RequestError } from '../../request/request-error.ts'
import { connectionQuery, connectionDefinition, namedConnection } from './connection-view.ts'
import { time } from '../system/page.ts'

const deadlineMs = 30_000

export const authenticateConnection = defineRoute({
  method: 'POST',
  path: '/connections/{connection}/authenticate',
  access: 'connections:write',
  summary:
    'Tests the credentials of a connection, even if it is disabled; an error says why they failed. ' +
    '`warning`: credentials that work but need attention, e.g. before they expire; else null. ' +
    '`account`: the account, e.g. a workspace and a bot.',
  answer: {
    type: 'object',
    additionalProperties: false,
    required: ['status', 'checked_at', 'warning'],
    properties: {
      status: { const: 'ok' },
      checked_at: time,
      warning: { type: ['string', 'null'] },
      account: { type: 'string', description: 'Absent if the other system does not report it.' },
    },
  },
  query: connectionQuery,
  async handle({ params, query, caller }, services) {
    const { stores, catalogue, clock, closing } = services
    const { uuid, name, plugin, organizationUuid } = await namedConnection(
      caller.scope,
      params.connection,
      query.organization,
      services,
    )
    services.authenticateGate.admit(organizationUuid, uuid)
    connectionDefinition(catalogue, plugin)
    const open = await stores.connections.open(organizationUuid, name)
    if (open === undefined) throw new RequestError('connection_not_found')
    const startedAt = clock.now()
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(tooLate()), deadlineMs)
    try {
      const signal = AbortSignal.any([deadline.signal, closing])
      const { account, warning = null } = await services.authenticate(open, signal)
      const found = { asOf: startedAt, warning, account }
      await stores.connections.works(organizationUuid, uuid, found, caller.actor)
      return {
        body: { status: 'ok', checked_at: clock.now(), warning, ...(account !== undefined && { account }) },
      }
    } catch (error) {
      if (closing.aborted) throw new RequestError('not_ready', 'The server is closing.')
      const refusal = asRefusal(error)
      const code = refusal instanceof TocsinError ? refusal.code : 'internal_error'
      await stores.connections.used(organizationUuid, uuid, { code, at: clock.now() })
      await stores.audit.record({
        action: 'connection.authentication_failed',
        by: caller.actor,
        organizationUuid,
        subject: { kind: 'connection', id: uuid, name },
        details: { plugin, code },
      })
      throw refusal
    } finally {
      clearTimeout(timer)
    }
  },
})

/** The server refuses the address of the connection; the caller has all permissions. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof ForbiddenError)) return error
  const { code, message, hint } = error
  return new ConnectionError(code, message, { ...(hint !== undefined && { hint }), cause: error })
}

function tooLate(): TimeoutError {
  return new TimeoutError(
    'authenticate_timeout',
    `the other system did not answer within ${deadlineMs / 1000} seconds`,
    {
      hint: 'check the address of the connection and the firewalls on the way',
    },
  )
}
