import { Secret, TocsinError, type Authenticated, type ConnectionDefinition } from '../../plugin/index.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import { createBearer, type Bearer } from '../connection/bearer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress } from '../../ports/egress.ts'
import { createHttpClient } from './http-client.ts'
import { openConnection, egressFor } from '../connection/open-connection.ts'
import { createTraffic, type Traffic } from '../http/traffic.ts'
import type { OnSecret, Redactor } from '../redaction/redactor.ts'
import { createSocketClient } from './socket-client.ts'

export interface TryConnectionOptions {
  readonly egress: Egress
  readonly clock: Clock
  /** Shared by everything that calls the same connections. Default: its own. */
  readonly traffic?: Traffic | undefined
  /** Called with every secret in use. Default: none. */
  readonly onSecret?: OnSecret | undefined
}

/**
 * Asks the other system whether a connection's credentials work; also for connections that are not stored yet.
 * Fetches a new token, which later calls reuse, so that newly granted permissions are in it.
 *
 * @throws ConnectionError (wrong credentials, unusable settings), RetryableError (unreachable), SkillError
 */
export async function tryConnection(
  options: TryConnectionOptions,
  definition: ConnectionDefinition,
  open: OpenConnection,
  signal: AbortSignal,
): Promise<Authenticated> {
  const { settings, target, network, redactor, tokens } = openConnection(definition, open, options.onSecret)
  const { traffic = createTraffic(options.clock) } = options
  const { plugin, organizationUuid } = open.connection
  const egress = egressFor(options.egress, { plugin, organizationUuid, isConnection: true, network })
  const call = { ...options, egress, traffic, signal, redactor, deadlineMs: Infinity, isWrite: false }
  const bearer = createBearer(target.token, tokens, call)
  bearer?.forget()
  const sockets = createSocketClient({ ...call, target })
  try {
    const http = createHttpClient({ ...call, target, tokens })
    const nowMs = options.clock.now()
    const token = tokenFor(bearer)
    const said = await definition.authenticate({ settings, http, sockets, token, nowMs, signal })
    return {
      ...(said?.account !== undefined && { account: redactor.text(said.account) }),
      ...(said?.warning !== undefined && { warning: redactor.text(said.warning) }),
    }
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw error
    throw redactor.error(error, (one) => one instanceof TocsinError)
  } finally {
    sockets.close()
  }
}

/** The `token` of a context. */
export const tokenFor = (bearer: Bearer | undefined) => async (): Promise<Secret> => {
  if (bearer === undefined) throw new Error('the connection declares no token')
  return new Secret(await bearer.get())
}

/** The `inboundUrl` of a context; the tokens in the addresses are redacted. */
export const inboundUrlFrom =
  (urls: Readonly<Record<string, string>>, redactor: Redactor) =>
  (route: string): string => {
    const url = urls[route]
    if (url === undefined) throw new Error(`there is no webhook '${route}' for this skill`)
    const token = new URL(url).searchParams.get('token')
    if (token !== null) redactor.add(token)
    return url
  }
