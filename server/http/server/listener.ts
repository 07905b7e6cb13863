import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { EventStreamLimits } from '../events/event-streams.ts'
import type { IntakeLimits } from '../limits/intake-gate.ts'
import type { WaitLimits } from '../limits/wait-places.ts'
import type { AnswerBudget } from './answer-budget.ts'
import { answerClientError, refuseConnect } from './client-errors.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** Limits of connections, requests and answers. */
export interface Limits extends EventStreamLimits, WaitLimits, IntakeLimits {
  /** Largest body. */
  readonly maxBodyBytes: number
  /** Total size of the bodies of active requests. */
  readonly maxBodiesBytes: number
  /** Total size of unread answers. */
  readonly maxAnswersBytes: number
  /** Milliseconds without any read after which the connection of an answer is closed. */
  readonly answerTimeoutMs: number
  /** Time limit to receive the headers, in milliseconds. */
  readonly headersTimeoutMs: number
  /** Time limit to receive the whole request, in milliseconds. */
  readonly requestTimeoutMs: number
  /** Maximum number of connections; further ones are closed. */
  readonly maxConnections: number
}

export const defaultLimits: Limits = {
  maxBodyBytes: 1_048_576,
  maxBodiesBytes: 64 * 1_048_576,
  maxAnswersBytes: 32 * 1_048_576,
  answerTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxConnections: 2_000,
  maxStoring: 64,
  maxWaiting: 1_000,
  maxWaits: 600,
  maxWaitsOfOrganizations: 300,
  maxStreams: 1_000,
  maxStreamsOfKey: 64,
  maxStreamsOfOrganizations: 500,
  heartbeatMs: 15_000,
}

/** A listening port. */
export interface Listener {
  /** Resolves to the URL when connections are accepted. */
  listen(port: number, host: string): Promise<string>
  /** Accepts no more connections, and resolves when all are closed. */
  close(): Promise<void>
}

/** Time that active requests have to end when the server closes. */
const closingGraceMs = 10_000

/**
 * Sockets that listen on the main port. Node accepts one connection per socket and turn of the event loop:
 * with one socket, the last of 500 new connections waits for 500 turns, which are long under load. There
 * should be more sockets than requests that end per turn. Only Linux shares connections among sockets of one
 * port.
 */
export const manySockets = process.platform === 'linux' && canSharePort(process.versions.node) ? 64 : 1

/** Since Node 22.12 and 23.1. */
function canSharePort(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12)
}

export interface ListenerOptions {
  readonly limits: Limits
  readonly answers: AnswerBudget
  /** Default 1. */
  readonly sockets?: number
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

export function createListener({ limits, answers, sockets = 1, handle }: ListenerOptions): Listener {
  const take = oneAtATime((request, response) => {
    boundUnreadBody(request, response)
    void handle(request, response).then(() => response.writableEnded && answers.watch(response))
  })
  const servers = Array.from({ length: sockets }, () => boundedServer(limits))
  let open = 0
  for (const server of servers) {
    server.on('connection', (socket: IncomingMessage['socket']) => {
      open++
      socket.once('close', () => open--)
      if (open > limits.maxConnections) socket.destroy()
    })
    server.on('request', take)
    // An expectation that Node does not know.
    server.on('checkExpectation', take)
    server.on('connect', refuseConnect)
    server.on('clientError', answerClientError)
  }
  return {
    async listen(port, host) {
      const [first, ...others] = servers
      if (first === undefined || others.length === 0) return urlOf(await listenOn(first!, { port, host }))
      if (port !== 0) await requireFree(port, host)
      const bound = boundOf(await listenOn(first, { port, host, reusePort: true }))
      const place = { port: bound.port, host: bound.address, reusePort: true }
      await Promise.all(others.map((server) => listenOn(server, place)))
      return urlOf(first)
    },
    async close() {
      await Promise.all(servers.filter(({ listening }) => listening).map(closeServer))
    },
  }
}

interface Place {
  readonly port: number
  readonly host: string
  readonly reusePort?: boolean
}

async function listenOn(server: Server, options: Place): Promise<Server> {
  server.listen(options)
  await once(server, 'listening')
  return server
}

/** A shared port could also be shared with another server of the same user, so check that it is free. */
async function requireFree(port: number, host: string): Promise<void> {
  const server = await listenOn(createServer(), { port, host })
  const closed = once(server, 'close')
  server.close()
  await closed
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), closingGraceMs)
  await closed
  clearTimeout(timer)
}

/** Slow senders and idle connections are cut off. */
function boundedServer({ headersTimeoutMs, requestTimeoutMs }: Limits): Server {
  return createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, requestTimeoutMs) / 2,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16_384,
    // Left to `refuseOddRequests`, which sends a problem document.
    requireHostHeader: false,
  })
}

function boundOf(server: Server) {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server has no address')
  return bound
}

function urlOf(server: Server): string {
  const { address, family, port } = boundOf(server)
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * How long the rest of a body is read after the answer, so that the client receives the answer instead of a
 * reset connection.
 */
const unreadGraceMs = 1_000

/** Discards the rest of a body after an early answer, and closes the connection if that takes too long. */
function boundUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete || request.destroyed) return
    const timer = setTimeout(() => request.socket.destroy(), unreadGraceMs).unref()
    request.once('close', () => clearTimeout(timer))
    request.once('end', () => clearTimeout(timer))
    request.resume()
  })
}

/**
 * Checks whether a server could listen there. Resolves to the system's error code, e.g. `EADDRINUSE`, or
 * undefined.
 */
export async function probePort(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  } finally {
    server.close()
  }
}
