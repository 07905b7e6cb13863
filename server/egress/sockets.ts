import { connect, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import * as tls from 'node:tls'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import type { NetworkSettings, SocketRequest } from '../../core/ports/egress.ts'
import type { AllowList } from './allow-list.ts'
import type { ServerOrigin } from './exchange.ts'
import { openTunnel, secureContextOf, type Proxy } from './network-agents.ts'
import type { Lease } from '../../core/ports/nodes/lease.ts'
import { leaseOver, networkError } from './network-error.ts'
import { startTls } from './start-tls.ts'

export interface SocketsOptions {
  /** Of everything without network settings. Default: the authorities of Node. */
  readonly ca: string | undefined
  /** See `EgressOptions`. */
  readonly lease: Lease | undefined
  /** @throws ForbiddenError `egress_forbidden` */
  readonly originOf: (url: URL, allowed: AllowList) => ServerOrigin
  readonly proxyOf: (network: NetworkSettings, allowed: AllowList) => Proxy | undefined
}

export interface Sockets {
  /** See `Egress.connect`. */
  open(request: SocketRequest, allowed: AllowList): Promise<Duplex>
  close(): void
}

/** Until TLS is established, STARTTLS included. */
const connectMs = 20_000
/** Of an open connection without traffic. */
const idleMs = 60_000
/** Open connections per address and organization; mail servers refuse more. Others wait within their deadline. */
const maxPerPeer = 8

export function createSockets(options: SocketsOptions): Sockets {
  const open = new Set<Duplex>()
  const places = createPlaces(maxPerPeer)
  const contexts = new WeakMap<NetworkSettings, tls.SecureContext>()
  const contextOf = (network: NetworkSettings): tls.SecureContext => {
    const context = contexts.get(network) ?? secureContextOf(network)
    contexts.set(network, context)
    return context
  }
  return {
    async open(request, allowed) {
      const { network, signal, organizationUuid = '' } = request
      const to = addressOf(request, options.originOf, allowed)
      const leave = await places.enter(`${to.host} ${organizationUuid}`, signal)
      try {
        const proxy = network && options.proxyOf(network, allowed)
        const secureContext =
          network === undefined ? tls.createSecureContext({ ca: options.ca }) : contextOf(network)
        const socket = await connectTo(request, { to, proxy, secureContext })
        guard(socket, request, options.lease)
        open.add(socket)
        socket.once('close', () => {
          open.delete(socket)
          leave()
        })
        return socket
      } catch (error) {
        leave()
        throw error
      }
    },
    close() {
      for (const socket of open) socket.destroy()
    },
  }
}

/** @throws SkillError `bad_address`, ForbiddenError `egress_forbidden` */
function addressOf(
  { host, port }: SocketRequest,
  originOf: SocketsOptions['originOf'],
  allowed: AllowList,
): ServerOrigin {
  const named = isIP(host) === 6 ? `[${host}]` : host
  const url = URL.parse(`https://${named}:${port}/`)
  // Anything else than a host, such as `kim@example.com`, would be read differently by others.
  if (url === null || (isIP(host) === 0 && url.hostname !== host.toLowerCase()))
    throw new SkillError('bad_address', `'${host.slice(0, 200)}' with port ${port} is not a host and a port`)
  return { ...originOf(url, allowed), host: `${url.hostname}:${port}`, port: String(port) }
}

interface Way {
  readonly to: ServerOrigin
  readonly proxy: Proxy | undefined
  readonly secureContext: tls.SecureContext
}

async function connectTo(request: SocketRequest, way: Way): Promise<tls.TLSSocket> {
  const { signal } = request
  const { host } = way.to
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooSlow()), connectMs)
  const until = AbortSignal.any([signal, late.signal])
  let plain: Socket | undefined
  const stop = (): void => void plain?.destroy(until.reason as Error)
  until.addEventListener('abort', stop, { once: true })
  try {
    plain = await openPlain(way, request.tls !== 'immediate')
    // This listener is never removed: a late error must not crash the process.
    plain.on('error', () => {})
    // Commands are short, and their answers are waited for.
    plain.setNoDelay(true)
    until.throwIfAborted()
    const greeting = request.tls === 'immediate' ? undefined : await startTls(plain, request.tls, host)
    const socket = await encrypt(plain, way)
    if (greeting !== undefined) socket.unshift(Buffer.from(greeting))
    return socket
  } catch (error) {
    plain?.destroy()
    if (signal.aborted) throw signal.reason
    throw networkError(late.signal.aborted ? late.signal.reason : error, host, false)
  } finally {
    clearTimeout(timer)
    until.removeEventListener('abort', stop)
  }
}

const tooSlow = (): Error => Object.assign(new Error('too slow'), { code: 'ETIMEDOUT' })

/** Guarded: the lookup gives only addresses that are allowed, and the connection goes to one of them. */
async function openPlain({ to, proxy, secureContext }: Way, isServerFirst: boolean): Promise<Socket> {
  const { hostname, lookup } = to
  const target = { host: hostname, port: Number(to.port), lookup }
  if (proxy !== undefined) return await openTunnel(proxy, target, secureContext, isServerFirst)
  const socket = connect(target)
  await ready(socket, 'connect')
  return socket
}

async function encrypt(plain: Socket, { to, secureContext }: Way): Promise<tls.TLSSocket> {
  const { hostname: host } = to
  const servername = isIP(host) === 0 ? { servername: host } : {}
  // Set for each connection, because the environment may say otherwise.
  const socket = tls.connect({ socket: plain, host, ...servername, secureContext, rejectUnauthorized: true })
  await ready(socket, 'secureConnect')
  return socket
}

function ready(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    // This listener is never removed: a late error must not crash the process.
    socket.on('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
    socket.once(event, () => resolve())
  })
}

/** Ends the connection at its deadline, when nothing happens, and when too much arrives. */
function guard(
  socket: tls.TLSSocket,
  { signal, maxBytes, host, port }: SocketRequest,
  lease: Lease | undefined,
): void {
  const abort = (): void => void socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  const idle = setInterval(() => {
    const moved = socket.bytesRead + socket.bytesWritten
    if (moved === before) socket.destroy(new RetryableError('network_error', `${host}:${port} is silent`))
    before = moved
  }, idleMs).unref()
  let before = -1
  socket.once('close', () => {
    clearInterval(idle)
    signal.removeEventListener('abort', abort)
  })
  if (lease !== undefined) writeOnlyWith(lease, socket)
  let received = 0
  const push = socket.push.bind(socket)
  // Counts decrypted bytes, regardless of how they are read.
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    received += chunk?.length ?? 0
    if (received <= maxBytes) return push(chunk, encoding)
    const message = `${host}:${port} sent more than ${maxBytes} bytes`
    socket.destroy(
      new SkillError('response_too_large', message, { hint: 'ask for less, e.g. fewer messages' }),
    )
    return false
  }
}

/** A session can be long: each of its commands needs the lease. */
function writeOnlyWith(lease: Lease, socket: tls.TLSSocket): void {
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean
  socket.write = (...given: unknown[]): boolean => {
    const error = leaseOver(lease)
    if (error === undefined) return write(...given)
    socket.destroy(error)
    return false
  }
}

/** Limits concurrent holders, by name. */
function createPlaces(max: number) {
  const inside = new Map<string, { count: number; readonly waiting: (() => void)[] }>()
  return {
    /** Resolves with the function to call at the end; rejects with the reason of the signal. */
    async enter(name: string, signal: AbortSignal): Promise<() => void> {
      const place = inside.get(name) ?? { count: 0, waiting: [] }
      inside.set(name, place)
      while (place.count >= max) await turnIn(place.waiting, signal)
      place.count++
      let isInside = true
      return () => {
        if (!isInside) return
        isInside = false
        place.count--
        place.waiting.shift()?.()
        if (place.count === 0 && place.waiting.length === 0) inside.delete(name)
      }
    },
  }
}

function turnIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const turn = (): void => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const leave = (): void => {
      waiting.splice(waiting.indexOf(turn), 1)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', leave, { once: true })
    waiting.push(turn)
  })
}
