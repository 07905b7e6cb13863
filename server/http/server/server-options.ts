import type { SessionLimits } from '../../../core/domain/session.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import type { WebPage } from '../page/load-page.ts'
import type { Services } from '../routing/route.ts'
import type { Limits } from './listener.ts'

/** What of the configuration the HTTP server needs. */
export interface HttpServerConfig {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Of a second listener for health and metrics alone; 0: any free one. Default: there is none. */
  readonly opsPort?: number | undefined
  /** Without slashes at its ends. */
  readonly apiPrefix: string
  /** Where people reach the server, when that is not where it listens. */
  readonly publicUrl: string | undefined
  /** Addresses and ranges of proxies that are believed whom a request comes from. Default: none. */
  readonly trustedProxies?: readonly string[]
  /** Of people who are signed in. Default: `defaultSessionLimits`. */
  readonly sessions?: SessionLimits
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
  readonly retries: Services['retries']
  readonly scheduler: Services['scheduler']
  readonly playbooks: Services['playbooks']
  readonly callerOfSkills: Services['callerOfSkills']
  readonly authenticate: Services['authenticate']
  readonly inbound: Services['inbound']
  readonly metrics: Services['metrics']
  /** Absent: there is only the API. */
  readonly page?: WebPage | undefined
  readonly log: Log
  readonly clock: Clock
}
