import { Secret, TocsinError, type Authenticated, type ConnectionDefinition } from '../../plugin/index.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import { createBearer } from '../connection/bearer.ts'
import type { SkillCallerOptions } from './caller.ts'
import { egressFor } from '../connection/egress-for.ts'
import { createHttpClient } from './http-client.ts'
import { openConnection } from '../connection/open-connection.ts'
import { createTraffic } from '../http/traffic.ts'

/**
 * Asks the other system whether a connection's credentials work; resolves if so, with a warning where there is one. Also for
 * connections that are not stored yet. A token is fetched anew, and kept for the calls that follow: permissions that were granted
 * a moment ago are in it.
 *
 * @throws ConnectionError (wrong credentials, unusable settings), RetryableError (out of reach), SkillError
 */
export async function authenticate(
  options: Pick<SkillCallerOptions, 'egress' | 'clock' | 'onSecret' | 'traffic'>,
  definition: ConnectionDefinition,
  open: OpenConnection,
  signal: AbortSignal,
): Promise<Authenticated> {
  const { settings, target, redactor } = openConnection(definition, open, options.onSecret)
  const { traffic = createTraffic(options.clock) } = options
  const { plugin, organizationUuid } = open.connection
  const egress = egressFor(options.egress, { plugin, organizationUuid, isConnection: true })
  const call = { ...options, egress, traffic, signal, redactor, deadlineMs: Infinity, isWrite: false }
  const bearer = target.token && createBearer(target.token, call)
  bearer?.forget()
  const token = async (): Promise<Secret> => {
    if (bearer === undefined) throw new Error('the connection declares no token')
    return new Secret(await bearer.get())
  }
  try {
    const http = createHttpClient({ ...call, target })
    const nowMs = options.clock.now()
    const said = await definition.authenticate({ settings, http, token, nowMs, signal })
    return {
      ...(said?.account !== undefined && { account: redactor.text(said.account) }),
      ...(said?.warning !== undefined && { warning: redactor.text(said.warning) }),
    }
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw error
    throw redactor.error(error, (one) => one instanceof TocsinError)
  }
}
