import { Agent as HttpAgent, type Agent, type ClientRequestArgs, type IncomingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import QuickLRU from 'quick-lru'
import { decodeText } from '../../core/common/read-body.ts'
import { checkHeaders } from '../../core/skill/http/headers.ts'
import type { Lease } from '../../core/ports/nodes/lease.ts'
import type { Egress, EgressRequest, EgressResponse, NetworkSettings } from '../../core/ports/egress.ts'
import { checkUrl, guardedLookup } from './address-guard.ts'
import { publicOnly, type AllowList } from './allow-list.ts'
import { createAllowLists, type CodeOf, type PrivateEgress } from './allow-lists.ts'
import {
  acceptEncoding,
  decodeBody,
  exchange,
  type RawRequest,
  type RawResponse,
  type ServerOrigin,
} from './exchange.ts'
import { networkAgents, type AgentPair, type Proxy } from './network-agents.ts'
import { leaseOver, networkError } from './network-error.ts'
import { createSockets } from './sockets.ts'

export interface EgressOptions {
  /**
   * Hosts (`host` or `host:port`) and ranges (`10.1.0.0/16`) that connections may reach although they are
   * private, also over plain http: one list for all organizations, or one for each.
   */
  readonly allowPrivate: readonly string[] | PrivateEgress
  /** Default: every organization is unknown. */
  readonly codeOf?: CodeOf
  /** Certificates of authorities, in PEM. Default: those of Node. */
  readonly ca?: string | undefined
  /** Nothing is sent without it. Default: this process may always send. */
  readonly lease?: Lease | undefined
}

export interface ClosableEgress extends Required<Egress> {
  /** Closes idle connections and aborts active requests. */
  close(): void
}

/** Connections per host and organization; further requests wait within their deadline. */
const maxSocketsPerHost = 16
/** Keep-alive time of idle connections. */
const idleMs = 30_000
/**
 * For requests that change something. Peers close idle connections silently, some after two seconds; a
 * request sent at that moment has an unknown outcome and must not be repeated.
 */
const idleForChangesMs = 1_000
/** Remembered origins (scheme, host, port) that passed the check. */
const maxOrigins = 1_000

/**
 * The only way out: https, verified certificates, public addresses, no redirects, no retries, no proxy from
 * the environment, bounded headers and bodies. The signal of a request is its deadline.
 */
export function createEgress(options: EgressOptions): ClosableEgress {
  const { lease } = options
  const listOf = createAllowLists(privateEgress(options.allowPrivate), options.codeOf ?? unknownCode)
  const agents = { reads: agentsFor(idleMs, options.ca), changes: agentsFor(idleForChangesMs, options.ca) }
  // The check depends on the origin alone; resolved addresses are checked for each connection.
  const checked = new WeakMap<AllowList, QuickLRU<string, ServerOrigin>>()
  const checkedOrigin = (url: URL, allowed: AllowList): ServerOrigin => {
    const origins = checked.get(allowed) ?? new QuickLRU<string, ServerOrigin>({ maxSize: maxOrigins })
    checked.set(allowed, origins)
    const known = origins.get(url.origin)
    if (known !== undefined) return known
    checkUrl(url, allowed)
    const origin = originOf(url, allowed)
    origins.set(origin.origin, origin)
    return origin
  }
  const networks = createNetworks(checkedOrigin)
  const sockets = createSockets({
    ca: options.ca,
    lease,
    originOf: checkedOrigin,
    proxyOf: (network, allowed) => proxyOf(network, allowed, checkedOrigin),
  })
  return {
    async connect(request) {
      request.signal.throwIfAborted()
      requireLease(lease)
      return await sockets.open(request, await listOf(request.organizationUuid))
    },
    async send(request) {
      const { method, signal, onSent } = request
      signal.throwIfAborted()
      requireLease(lease)
      const url = new URL(request.url)
      const allowed = request.isConnection === true ? await listOf(request.organizationUuid) : publicOnly
      const to = checkedOrigin(url, allowed)
      const isRead = method === 'GET' || method === 'HEAD'
      const { http, https } =
        request.network === undefined
          ? agents[isRead ? 'reads' : 'changes']
          : networks.of(request.network, { isRead, isElsewhere: request.isElsewhere === true, allowed })
      let isSent = false
      try {
        const response = await exchange({
          ...rawRequest(request, to, url),
          agent: to.isSecure ? https : http,
          onSent() {
            requireLease(lease)
            isSent = true
            onSent?.()
          },
        })
        return await toResponse(to, response, request.maxBytes)
      } catch (error) {
        throw signal.aborted ? signal.reason : networkError(error, to.origin, isSent)
      }
    },
    close() {
      sockets.close()
      for (const { http, https } of [...Object.values(agents), ...networks.all()]) {
        http.destroy()
        https.destroy()
      }
    },
  }
}

/** The settings that determine the agents of a connection. */
interface Way {
  readonly isRead: boolean
  readonly isElsewhere: boolean
  readonly allowed: AllowList
}

/**
 * Maximum number of connections with their own agents. Sockets of all other connections close when
 * they are idle.
 */
const maxNetworks = 200

type CheckedOrigin = (url: URL, allowed: AllowList) => ServerOrigin

function proxyOf(network: NetworkSettings, allowed: AllowList, checked: CheckedOrigin): Proxy | undefined {
  const url = network.proxy === undefined ? undefined : new URL(network.proxy)
  return url && { to: checked(url, allowed), authorization: basic(url) }
}

function createNetworks(checkedOrigin: CheckedOrigin) {
  const agents = new QuickLRU<NetworkSettings, Map<string, AgentPair>>({ maxSize: maxNetworks })
  const made = (network: NetworkSettings, { isRead, isElsewhere, allowed }: Way): AgentPair => {
    const proxy = proxyOf(network, allowed, checkedOrigin)
    const limits = agentLimits(isRead ? idleMs : idleForChangesMs)
    const own = isElsewhere ? { ...network, certificate: undefined, key: undefined } : network
    const { http, https } = networkAgents(own, proxy, limits)
    return { http: withSeparatePools(http), https: withSeparatePools(https) }
  }
  return {
    of(network: NetworkSettings, way: Way): AgentPair {
      const known = agents.get(network) ?? new Map<string, AgentPair>()
      agents.set(network, known)
      const name = `${way.isRead} ${way.isElsewhere}`
      const pair = known.get(name) ?? made(network, way)
      known.set(name, pair)
      return pair
    },
    all: (): readonly AgentPair[] => [...agents.values()].flatMap((pairs) => [...pairs.values()]),
  }
}

function basic({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(text).toString('base64')}`
}

/** @throws RetryableError `lease_over` */
function requireLease(lease: Lease | undefined): void {
  const error = leaseOver(lease)
  if (error !== undefined) throw error
}

const unknownCode: CodeOf = async () => undefined

const privateEgress = (allowPrivate: EgressOptions['allowPrivate']): PrivateEgress =>
  'everyone' in allowPrivate ? allowPrivate : { everyone: allowPrivate, organizations: new Map() }

const agentLimits = (timeout: number) => ({ keepAlive: true, maxSockets: maxSocketsPerHost, timeout })

function agentsFor(timeout: number, ca: string | undefined): AgentPair {
  const limits = agentLimits(timeout)
  return {
    http: withSeparatePools(new HttpAgent(limits)),
    https: withSeparatePools(new HttpsAgent(ca === undefined ? limits : { ...limits, ca })),
  }
}

function originOf(url: URL, allowed: AllowList): ServerOrigin {
  const { origin, protocol, host, hostname, port } = url
  return {
    origin,
    isSecure: protocol === 'https:',
    host,
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port,
    lookup: guardedLookup(url, allowed),
  }
}

function rawRequest(
  request: EgressRequest,
  to: ServerOrigin,
  url: URL,
): Omit<RawRequest, 'agent' | 'onSent'> {
  const { method, signal, organizationUuid = '', isConnection = false, maxBytes } = request
  const body = canHaveBody(request) ? (request.body ?? '') : undefined
  return {
    to,
    // A socket of a connection may lead to a private address: other requests must not reuse it.
    pool: `${to.host} ${organizationUuid} ${isConnection}`,
    method,
    path: url.pathname + url.search,
    headers: headerList(checkHeaders(request.headers), to, body),
    body,
    maxBytes,
    signal,
  }
}

const canHaveBody = ({ method, body }: EgressRequest): boolean =>
  method !== 'HEAD' && (method !== 'GET' || body !== undefined)

/** As a list, Node checks and writes headers without keeping a copy. */
function headerList(
  given: Record<string, string>,
  { host }: ServerOrigin,
  body: EgressRequest['body'],
): string[] {
  const list = ['host', host, 'connection', 'keep-alive', 'accept-encoding', acceptEncoding]
  if (given['user-agent'] === undefined) list.push('user-agent', 'tocsin')
  for (const name in given) list.push(name, given[name]!)
  if (body !== undefined) list.push('content-length', String(Buffer.byteLength(body)))
  return list
}

async function toResponse(
  to: ServerOrigin,
  response: RawResponse,
  maxBytes: number | undefined,
): Promise<EgressResponse> {
  const { head } = response
  const status = head.statusCode ?? 0
  // A body in one piece needs no stream.
  const isPlain = head.headers['content-encoding'] === undefined || response.bytes.length === 0
  const { headers, bytes } = isPlain
    ? { headers: head.headers, bytes: response.bytes }
    : await decodeBody(to, response, maxBytes)
  return maxBytes === undefined
    ? { status, headers: flatten(headers), body: decodeText(bytes, headers['content-type']) }
    : { status, headers: flatten(headers), body: '', bytes }
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    flat[name] = typeof value === 'string' ? value : (value ?? []).join(', ')
  }
  return flat
}

/** Options of a request, with its pool. */
type PooledOptions = ClientRequestArgs & { readonly pool?: string }

/**
 * Keeps the sockets of each pool apart. A request of one organization may leave bytes on a socket that a
 * server or proxy reads differently; the next request on it must not belong to another organization.
 */
function withSeparatePools<A extends Agent>(agent: A): A {
  const nameOf = agent.getName.bind(agent)
  agent.getName = (options?: PooledOptions) => `${nameOf(options)}:${options?.pool ?? ''}`
  return agent
}
