import type { SessionLimits } from '../../../core/domain/session.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import type { WebPage } from '../page/load-page.ts'
import type { Services } from '../routing/route.ts'
import type { Limits } from './listener.ts'

/** The configuration of the HTTP server. */
export interface HttpServerConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Port of a second listener for health and metrics only; 0: any free port. Default: no second listener. */
  readonly opsPort?: number | undefined
  /** Without slashes at its ends. */
  readonly apiPrefix: string
  /** The public address of the server, if it differs from where it listens. */
  readonly publicUrl: string | undefined
  /** Addresses and ranges of proxies whose forwarding headers are trusted. Default: none. */
  readonly trustedProxies?: readonly string[]
  /** Limits of sessions. Default: `defaultSessionLimits`. */
  readonly sessions?: SessionLimits
  /** Lifetime of API keys that are created without an end, in milliseconds; null: such keys do not expire. Default: `defaultKeyLifetimeMs`. */
  readonly keyLifetimeMs?: number | null
  /** Where they differ from `defaultLimits`. */
  readonly limits?: Partial<Limits>
}

export interface HttpServerOptions {
  readonly config: HttpServerConfig
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly investigations: Services['investigations']
  readonly control: Services['control']
  readonly engine: Services['engine']
  readonly nodes: Services['nodes']
  /** Aborted when the server begins to stop, before it closes. Default: never. */
  readonly draining?: AbortSignal | undefined
  /** Aborted when this node knows what other nodes have changed meanwhile. Default: there are none. */
  readonly caughtUp?: AbortSignal | undefined
  readonly retries: Services['retries']
  readonly scheduler: Services['scheduler']
  readonly playbooks: Services['playbooks']
  readonly callerOfSkills: Services['callerOfSkills']
  readonly authenticate: Services['authenticate']
  readonly secrets: Services['secrets']
  readonly signIn: Services['signIn']
  /** Default: not configured. */
  readonly singleSignOn?: Services['singleSignOn']
  readonly inbound: Services['inbound']
  readonly metrics: Services['metrics']
  /** The web page. Absent: only the API. */
  readonly page?: WebPage | undefined
  readonly log: Log
  readonly clock: Clock
}
