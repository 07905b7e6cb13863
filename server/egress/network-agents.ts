import { Agent as HttpAgent, request as openHttp, type AgentOptions } from 'node:http'
import { Agent as HttpsAgent, request as openHttps } from 'node:https'
import type { Socket } from 'node:net'
import * as tls from 'node:tls'
import { ForbiddenError } from '../../core/errors/errors.ts'
import { ConnectionError } from '../../core/plugin/index.ts'
import type { NetworkSettings } from '../../core/ports/egress.ts'
import type { ServerOrigin } from './exchange.ts'
import { networkError } from './network-error.ts'

export interface AgentPair {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

/** A proxy whose address has passed the guard. */
export interface Proxy {
  readonly to: ServerOrigin
  /** The header `Proxy-Authorization`; undefined: none. */
  readonly authorization: string | undefined
}

/** Until the tunnel is open. */
const tunnelMs = 20_000

export function networkAgents(
  network: NetworkSettings,
  proxy: Proxy | undefined,
  limits: AgentOptions,
): AgentPair {
  const { ca } = network
  const secureContext = secureContextOf(network)
  const https = new HttpsAgent({ ...limits, secureContext })
  const http = new HttpAgent(limits)
  if (proxy !== undefined) {
    const context = ca === undefined ? undefined : secureContext
    for (const agent of [http, https]) {
      const connect: Connect = (options, done) =>
        void openTunnel(proxy, options, context).then(
          (socket) => done(null, agent === https ? tls.connect({ ...options, socket }) : socket),
          (error: Error) => done(error),
        )
      Object.assign(agent, { createConnection: connect })
    }
  }
  return { http, https }
}

export const secureContextOf = ({ ca, certificate, key }: NetworkSettings): tls.SecureContext =>
  tls.createSecureContext({
    ...(ca !== undefined && { ca: [...publicAuthorities(), ca] }),
    ...(certificate !== undefined && { cert: certificate, key }),
  })

/** Those that Node trusts by default, which its variables can extend. */
const publicAuthorities = (): readonly string[] =>
  (tls as { getCACertificates?: () => string[] }).getCACertificates?.() ?? tls.rootCertificates

interface ConnectOptions {
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number
  /** Guarded. */
  readonly lookup: ServerOrigin['lookup']
}
type Connect = (options: ConnectOptions, done: (error: Error | null, socket?: Socket) => void) => void

/**
 * Opens a connection to the target through the proxy (`CONNECT`). The proxy resolves the name of the target; if this machine can
 * resolve it too, all its addresses must be allowed.
 *
 * @param isServerFirst whether the target speaks first, so that its text may come with the answer of the proxy
 */
export async function openTunnel(
  { to, authorization }: Proxy,
  { host, port, lookup }: ConnectOptions,
  secureContext: tls.SecureContext | undefined,
  isServerFirst = false,
): Promise<Socket> {
  await requireAllowed(host, lookup)
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const options = {
    method: 'CONNECT',
    hostname: to.hostname,
    port: to.port,
    path: target,
    headers: { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) },
    lookup: to.lookup,
    agent: false,
    timeout: tunnelMs,
  } as const
  const request = to.isSecure
    ? openHttps({ ...options, rejectUnauthorized: true, ...(secureContext && { secureContext }) } as object)
    : openHttp(options)
  const fail = (error: unknown): void => reject(networkError(error, `the proxy ${to.origin}`, false))
  request.once('timeout', () => request.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
  request.on('error', fail)
  request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    socket.setTimeout(0)
    if (statusCode === 200 && (head.length === 0 || isServerFirst)) {
      if (head.length > 0) socket.unshift(head)
      return resolve(socket)
    }
    socket.destroy()
    if (statusCode === 403 || statusCode === 407) reject(proxyRefused(to.origin, target, statusCode))
    else fail(Object.assign(new Error('no tunnel'), { code: `HTTP ${statusCode}` }))
  })
  request.end()
  return await promise
}

/** Rejects with ForbiddenError `egress_forbidden`. */
function requireAllowed(host: string, lookup: ServerOrigin['lookup']): Promise<void> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error) => (error instanceof ForbiddenError ? reject(error) : resolve()))
  })
}

function proxyRefused(proxy: string, target: string, status: number): ConnectionError {
  return new ConnectionError(
    'proxy_refused',
    `the proxy ${proxy} refused the connection to ${target} (${status})`,
    {
      hint:
        status === 407
          ? 'check the user and the password of the proxy'
          : 'ask the owner of the proxy to allow the address',
      details: { status, sent: false },
    },
  )
}
