import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import Koa, { type Middleware } from 'koa'
import type { SessionLimits } from '../../../core/domain/session.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Log } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'
import { createKeyUseRecorder } from '../../access/key-use.ts'
import { createSessions, defaultSessionLimits } from '../../access/sessions.ts'
import { answerErrors } from '../routing/answer-errors.ts'
import { AnswerBudget } from './answer-budget.ts'
import { BodyBudget } from './body-budget.ts'
import { answerClientError, refuseConnect } from './client-errors.ts'
import { createDirectory } from '../caller/directory.ts'
import { createCalculations } from '../limits/calculations.ts'
import { createDryRunGate } from '../limits/dry-run-gate.ts'
import { createChangeFeed } from '../events/change-feed.ts'
import { createEventStreams, type EventStreamLimits } from '../events/event-streams.ts'
import { createTurns } from '../../../core/common/in-turn.ts'
import { createRunWatch } from '../events/run-watch.ts'
import { createFailedAuthentications } from '../caller/failed-authentications.ts'
import { openApiDocument } from '../reference/openapi.ts'
import type { Page } from '../page/load-page.ts'
import { servePage } from '../page/serve-page.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { refuseOddRequests } from '../request/refuse-odd-requests.ts'
import { createRefusalLog } from '../limits/refusal-log.ts'
import { requesterOf } from '../caller/requester.ts'
import { sessionCookie } from '../caller/session-cookie.ts'
import { createAccessRefusals } from '../caller/access-refusals.ts'
import { createAuthenticateGate } from '../limits/authenticate-gate.ts'
import { createSignInGate } from '../caller/sign-in-gate.ts'
import type { Services } from '../routing/route.ts'
import { createRouter, type RoutedState } from '../routing/router.ts'
import { routes } from '../routing/routes.ts'
import { ownNames } from '../caller/same-origin.ts'
import { boundUnreadBody } from './unread-body.ts'
import { createViewAudit } from '../caller/view-audit.ts'
import { createWaitPlaces, type WaitLimits } from '../limits/wait-places.ts'
import { createWebhookGate } from '../limits/webhook-gate.ts'

/** What of the configuration the HTTP server needs. */
export interface HttpServerConfig {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
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

/** What one sender can take of the server. */
interface Limits extends EventStreamLimits, WaitLimits {
  /** Largest body. */
  readonly maxBodyBytes: number
  /** Bodies of requests that are being answered, together. */
  readonly maxBodiesBytes: number
  /** Answers that their readers have not taken, together. */
  readonly maxAnswersBytes: number
  /** An answer of which nothing is taken for so long is given up, in milliseconds. */
  readonly answerTimeoutMs: number
  /** Headers must be there by then, in milliseconds. */
  readonly headersTimeoutMs: number
  /** The whole request must be there by then, in milliseconds. */
  readonly requestTimeoutMs: number
  /** Connections at once; further ones are closed. */
  readonly maxConnections: number
}

const defaultLimits: Limits = {
  maxBodyBytes: 1_048_576,
  maxBodiesBytes: 64 * 1_048_576,
  maxAnswersBytes: 32 * 1_048_576,
  answerTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxConnections: 2_000,
  maxWaits: 600,
  maxWaitsOfOrganizations: 300,
  maxStreams: 1_000,
  maxStreamsOfKey: 64,
  maxStreamsOfOrganizations: 500,
  heartbeatMs: 15_000,
}

export interface HttpServerOptions {
  readonly config: HttpServerConfig
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly investigations: Services['investigations']
  readonly control: Services['control']
  readonly engine: Services['engine']
  readonly reruns: Services['reruns']
  readonly scheduler: Services['scheduler']
  readonly playbooks: Services['playbooks']
  readonly callerOfSkills: Services['callerOfSkills']
  readonly authenticate: Services['authenticate']
  readonly inbound: Services['inbound']
  readonly metrics: Services['metrics']
  /** Absent: there is only the API. */
  readonly page?: Page | undefined
  readonly log: Log
  readonly clock: Clock
}

export interface HttpServer {
  /** Resolves when connections are accepted. Rejects when the address cannot be had. */
  listen(): Promise<{ readonly url: string }>
  /** Accepts nothing more, lets requests under way end (10 seconds at most), and resolves when all connections are closed. */
  close(): Promise<void>
  /** Where people and other systems reach it, without trailing slash: as configured, else where it listens. */
  publicUrl(): string
}

/** How long requests under way may take once the server closes. */
const closingGraceMs = 10_000

/** The API over HTTP. Knows nothing of TLS: a proxy in front ends it. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { config, stores, log } = options
  const limits = { ...defaultLimits, ...config.limits }
  const closing = new AbortController()
  const answers = new AnswerBudget(limits.maxAnswersBytes, limits.answerTimeoutMs)
  /** Kept, for runs that end while the server has closed. */
  let ownUrl = ''
  const publicUrl = () => config.publicUrl ?? ownUrl
  const isPublicTls = config.publicUrl?.startsWith('https:') === true
  const directory = createDirectory(stores)
  const sessions = createSessions(
    stores.sessions,
    config.sessions ?? defaultSessionLimits,
    options.clock,
    log,
  )
  const services = {
    ...options,
    directory,
    dryRunGate: createDryRunGate(closing.signal),
    calculations: createCalculations(),
    recordKeyUse: createKeyUseRecorder(stores.keys, log),
    failedAuthentications: createFailedAuthentications(stores, log),
    requesterOf: requesterOf(config.trustedProxies ?? [], isPublicTls),
    sessions,
    eventStreams: createEventStreams({
      stores,
      sessions,
      clock: options.clock,
      answers,
      limits,
      closing: closing.signal,
    }),
    takeWaitPlace: createWaitPlaces(limits),
    watchRun: createRunWatch(stores.changes),
    readRunInTurn: createTurns(),
    excerptRunInTurn: createTurns(),
    changeFeed: createChangeFeed(stores.changes, directory),
    signInGate: createSignInGate(options.clock),
    requestGate: createSignInGate(options.clock, 'request'),
    authenticateGate: createAuthenticateGate(options.clock),
    recordView: createViewAudit(stores.audit, options.clock),
    recordAccessRefusal: createAccessRefusals(stores, directory, log),
    webhookGate: createWebhookGate(options.clock),
    recordRefusedWebhook: createRefusalLog(log, 'what was sent to a connection was refused'),
    publicUrl,
    apiPrefix: config.apiPrefix,
    openApi: openApiDocument(routes, config.apiPrefix, config.publicUrl, sessionCookie(isPublicTls).name),
    closing: closing.signal,
  }
  const settings = {
    prefix: config.apiPrefix,
    maxBodyBytes: limits.maxBodyBytes,
    bodies: new BodyBudget(limits.maxBodiesBytes),
    ownNames: ownNames(config.host, config.publicUrl, config.trustedProxies ?? []),
  }
  const app = new Koa()
  app.silent = true
  app.on('error', (error: unknown) => log.error({ error }, 'an answer could not be sent'))
  app.use(countAnswers(services.metrics, `/${config.apiPrefix}/alerts`))
  app.use(answerErrors({ ...services, isPublicTls }))
  app.use(refuseOddRequests)
  if (options.page !== undefined) app.use(servePage(options.page, config.apiPrefix))
  app.use(createRouter(routes, services, settings))

  const server = boundedServer(limits)
  const handle = app.callback()
  const take = oneAtATime((request, response) => {
    boundUnreadBody(request, response)
    void handle(request, response).then(() => response.writableEnded && answers.watch(response))
  })
  server.on('request', take)
  // An expectation that Node does not know.
  server.on('checkExpectation', take)
  server.on('connect', refuseConnect)
  server.on('clientError', answerClientError)

  return {
    async listen() {
      server.listen(config.port, config.host)
      await once(server, 'listening')
      ownUrl = urlOf(server)
      return { url: ownUrl }
    },
    async close() {
      closing.abort()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), closingGraceMs)
      await closed
      clearTimeout(timer)
      await services.failedAuthentications.flush()
    },
    publicUrl,
  }
}

/** Of requests that are answered at all: what is no HTTP never comes this far. The path as it came: not every one can be taken apart. */
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
      isNewAlert: method === 'POST' && path === alerts,
    })
  }
}

/** Slow senders and idle connections are cut off. */
function boundedServer({ headersTimeoutMs, requestTimeoutMs, maxConnections }: Limits): Server {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, requestTimeoutMs) / 2,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16_384,
    // `refuseOddRequests` does it, with an answer.
    requireHostHeader: false,
  })
  server.maxConnections = maxConnections
  return server
}

function urlOf(server: Server): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server has no address')
  const { address, family, port } = bound
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
