import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Middleware } from 'koa'
import { ownNames } from '../caller/same-origin.ts'
import type { WebPage } from '../page/load-page.ts'
import { servePage } from '../page/serve-page.ts'
import { refuseOddRequests } from '../request/refuse-odd-requests.ts'
import { answerErrors } from '../routing/answer-errors.ts'
import type { Route, Services } from '../routing/route.ts'
import { createRouter, type RoutedState } from '../routing/router.ts'
import type { BodyBudget } from './body-budget.ts'
import type { HttpServerConfig } from './server-options.ts'

export interface AppOptions {
  readonly config: Pick<HttpServerConfig, 'apiPrefix' | 'host' | 'publicUrl' | 'trustedProxies'>
  readonly services: Services
  readonly routes: readonly Route[]
  readonly page?: WebPage | undefined
  readonly bodies: BodyBudget
  readonly maxBodyBytes: number
}

/** Error codes of a connection that the client closed or lost during an answer. */
const clientLeft: ReadonlySet<string> = new Set([
  'ECANCELED',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
])

/** Answers the requests of a listener. */
export function createApp({
  config,
  services,
  routes,
  page,
  bodies,
  maxBodyBytes,
}: AppOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { apiPrefix, host, publicUrl, trustedProxies = [] } = config
  const app = new Koa()
  app.silent = true
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (clientLeft.has(error.code ?? ''))
      services.log.debug({ error }, 'client left before the end of the answer')
    else services.log.error({ error }, 'could not send an answer')
  })
  app.use(countAnswers(services.metrics, `/${apiPrefix}/alerts`))
  app.use(answerErrors({ ...services, isPublicTls: publicUrl?.startsWith('https:') === true }))
  app.use(refuseOddRequests)
  if (page !== undefined) app.use(servePage(page, apiPrefix))
  const names = ownNames(host, publicUrl, trustedProxies)
  app.use(createRouter(routes, services, { prefix: apiPrefix, maxBodyBytes, bodies, ownNames: names }))
  return app.callback()
}

/**
 * Does not include input that is not HTTP, which never arrives here. Logs the raw path, because not every
 * path can be parsed.
 */
function countAnswers(metrics: Services['metrics'], alerts: string): Middleware {
  return async ({ method, req, response, state }, next) => {
    const startedAt = performance.now()
    await next()
    const [path] = (req.url ?? '').split('?', 1)
    metrics.requestAnswered({
      method,
      route: (state as RoutedState).route,
      status: response.status,
      durationMs: performance.now() - startedAt,
      isNewAlert: method === 'POST' && (path === alerts || path?.startsWith(`${alerts}/forward/`) === true),
    })
  }
}
