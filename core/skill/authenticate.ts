import { TocsinError, type Authenticated, type ConnectionDefinition } from '../plugin/index.ts'
import type { OpenConnection } from '../ports.ts'
import type { SkillCallerOptions } from './caller.ts'
import { createHttpClient } from './http-client.ts'
import { openConnection } from './open-connection.ts'

/**
 * Asks the other system whether a connection's credentials work; resolves if so, with a warning where there is one. Also for
 * connections that are not stored yet.
 *
 * @throws ConnectionError (wrong credentials, unusable settings), RetryableError (out of reach), SkillError
 */
export async function authenticate(
  options: Pick<SkillCallerOptions, 'egress' | 'clock' | 'onSecret'>,
  definition: ConnectionDefinition,
  open: OpenConnection,
  signal: AbortSignal,
): Promise<Authenticated> {
  const { settings, target, redactor } = openConnection(definition, open, options.onSecret)
  try {
    const http = createHttpClient({ ...options, signal, redactor, target })
    const token = () => Promise.reject(new Error('this connection declares no token'))
    const nowMs = options.clock.now()
    const said = await definition.authenticate({ settings, http, token, nowMs, signal })
    return said?.warning === undefined ? {} : { warning: redactor.text(said.warning) }
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw error
    throw redactor.error(error, (one) => one instanceof TocsinError)
  }
}
