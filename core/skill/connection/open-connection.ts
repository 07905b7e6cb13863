import { ConnectionError, TocsinError, type ConnectionDefinition } from '../../plugin/index.ts'
import type { OpenConnection, SignInTokens } from '../../ports/connection-store.ts'
import { Redactor, type OnSecret } from '../redaction/redactor.ts'
import { openSettings } from './settings.ts'
import { createTarget, type ConnectionTarget } from './target.ts'
import type { Egress, EgressRequest, NetworkSettings } from '../../ports/egress.ts'

/** A connection that is ready for calls. */
export interface ReadyConnection {
  readonly settings: Readonly<Record<string, unknown>>
  readonly target: ConnectionTarget
  readonly network: NetworkSettings | undefined
  readonly redactor: Redactor
  /** The tokens of its sign-in; undefined: the plugin has no sign-in. */
  readonly tokens: SignInTokens | undefined
}

const opened = new WeakMap<OpenConnection, ReadyConnection>()

/** Like `openConnection`, but cached for as long as the store returns the same object. */
export function openOnce(
  definition: ConnectionDefinition,
  open: OpenConnection,
  onSecret?: OnSecret,
): ReadyConnection {
  const ready = opened.get(open) ?? openConnection(definition, open, onSecret)
  opened.set(open, ready)
  return ready
}

/** @throws ConnectionError `connection_invalid`, without secrets */
export function openConnection(
  definition: ConnectionDefinition,
  open: OpenConnection,
  onSecret?: OnSecret,
): ReadyConnection {
  const { settings, network, secrets } = openSettings(definition, open)
  const redactor = new Redactor([...secrets, ...(open.formerSecrets ?? [])], onSecret)
  try {
    const target = createTarget(definition, open.connection, settings, network)
    const tokens = target.signIn && (open.tokens ?? noTokens(open.connection.name, target.signIn.client))
    return { settings, target, network, redactor, tokens }
  } catch (error) {
    throw redactor.error(error, (one) => one instanceof TocsinError)
  }
}

/** Without a source of sign-in tokens, as in tests of plugins. */
function noTokens(connection: string, client: string): SignInTokens {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new ConnectionError(
        'sign_in_needed',
        `connection '${connection}' needs a sign-in, which is not possible here`,
      ),
    )
  return { client, get: refuse, replace: refuse }
}

/** The same egress, with the plugin and organization of its requests and sockets. */
export const egressFor = (
  egress: Egress,
  whose: Pick<EgressRequest, 'plugin' | 'organizationUuid' | 'isConnection' | 'network'>,
): Egress => ({
  send: (request) => egress.send({ ...request, ...whose }),
  ...(egress.connect && { connect: (request) => egress.connect!({ ...request, ...whose }) }),
})
