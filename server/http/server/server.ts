import { opsRoutes, routes } from '../routing/routes.ts'
import { AnswerBudget } from './answer-budget.ts'
import { BodyBudget } from './body-budget.ts'
import { createApp } from './app.ts'
import { createListener, defaultLimits, manySockets } from './listener.ts'
import type { HttpServerOptions } from './server-options.ts'
import { createServices } from './services.ts'

export interface HttpServer {
  /** Resolves when connections are accepted. Rejects when an address is not available. */
  listen(): Promise<{ readonly url: string; readonly opsUrl: string | undefined }>
  /**
   * Accepts no more connections, lets active requests end (10 seconds at most), and resolves when all
   * connections are closed.
   */
  close(): Promise<void>
  /** The public address without trailing slash: as configured, else where it listens. */
  publicUrl(): string
}

/** The API over plain HTTP; a proxy in front terminates TLS. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { config, page } = options
  const limits = { ...defaultLimits, ...config.limits }
  const closing = new AbortController()
  const answers = new AnswerBudget(limits.maxAnswersBytes, limits.answerTimeoutMs)
  /** Kept for runs that end after the server has closed. */
  let ownUrl = ''
  const publicUrl = () => config.publicUrl ?? ownUrl
  const services = createServices(options, { limits, answers, closing: closing.signal, publicUrl })
  const bodies = new BodyBudget(limits.maxBodiesBytes)
  const app = { config, services, bodies, maxBodyBytes: limits.maxBodyBytes }
  const main = createListener({
    limits,
    answers,
    sockets: manySockets,
    handle: createApp({ ...app, routes, page }),
  })
  const ops =
    config.opsPort === undefined
      ? undefined
      : createListener({ limits, answers, handle: createApp({ ...app, routes: opsRoutes }) })
  return {
    async listen() {
      ownUrl = await main.listen(config.port, config.host)
      return { url: ownUrl, opsUrl: await ops?.listen(config.opsPort ?? 0, config.host) }
    },
    async close() {
      closing.abort()
      // Health is answered until the last request has ended.
      await main.close()
      await ops?.close()
      await services.backtests.idle()
      await services.failedAuthentications.flush()
    },
    publicUrl,
  }
}
