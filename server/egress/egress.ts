import { Agent as HttpAgent, type IncomingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import got, { type Request as GotRequest, type OptionsInit, type Response } from 'got'
import QuickLRU from 'quick-lru'
import { readBody } from '../../core/common/read-body.ts'
import { checkHeaders } from '../../core/skill/http/headers.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../core/ports/egress.ts'
import { checkUrl, guardedLookup } from './address-guard.ts'
import { publicOnly, type AllowList } from './allow-list.ts'
import { createAllowLists, type CodeOf, type PrivateEgress } from './allow-lists.ts'
import { networkError } from './network-error.ts'
import { openRequest } from './open-request.ts'
import { withSeparatePools } from './separate-pools.ts'

export interface EgressOptions {
  /**
   * Hosts (`host` or `host:port`) and ranges (`10.1.0.0/16`) that connections may reach although they are not public, and over plain
   * http too: one list for all organizations, or one for each.
   */
  readonly allowPrivate: readonly string[] | PrivateEgress
  /** Finds the organization's list. Default: no organization is known. */
  readonly codeOf?: CodeOf
}

export interface ClosableEgress extends Egress {
  /** Closes idle connections; requests under way are cut. */
  close(): void
}

/** At once to one host, for one organization; further requests wait, within their deadline. */
const maxSocketsPerHost = 16
/** How long an idle connection is kept, in milliseconds. */
const idleMs = 30_000
/**
 * The same for requests that change something. Peers close idle connections without a word, some after two seconds; of a request that
 * meets this nobody knows whether it arrived, and one that changes something must not be sent again.
 */
const idleForChangesMs = 1_000
/** Of an answer's headers, in bytes. */
const maxHeaderBytes = 32_768
/** Scheme, host and port, of which it is remembered that they may be called. */
const maxOrigins = 1_000

/**
 * The one way out: https, verified certificates, public addresses, no redirects, no retries, no proxy from the environment,
 * bounded headers and bodies. The request's signal is the deadline of all of it.
 */
export function createEgress(options: EgressOptions): ClosableEgress {
  const listOf = createAllowLists(privateEgress(options.allowPrivate), options.codeOf ?? nobody)
  const agents = { reads: agentsFor(idleMs), changes: agentsFor(idleForChangesMs) }
  // What is the same for every request is checked and merged once.
  const clients = {
    reads: got.extend({ ...sameForAll, agent: agents.reads }),
    changes: got.extend({ ...sameForAll, agent: agents.changes }),
  }
  // The check sees nothing else of an address; names are resolved, and what they stand for checked, for each connection.
  const checked = new WeakMap<AllowList, QuickLRU<string, LookupFunction>>()
  const checkedLookup = (url: URL, allowed: AllowList): LookupFunction => {
    const lookups = checked.get(allowed) ?? new QuickLRU<string, LookupFunction>({ maxSize: maxOrigins })
    checked.set(allowed, lookups)
    const known = lookups.get(url.origin)
    if (known !== undefined) return known
    checkUrl(url, allowed)
    const lookup = guardedLookup(url, allowed)
    lookups.set(url.origin, lookup)
    return lookup
  }
  return {
    async send(request) {
      request.signal.throwIfAborted()
      const url = new URL(request.url)
      const allowed = request.isConnection === true ? await listOf(request.organizationUuid) : publicOnly
      const dnsLookup = checkedLookup(url, allowed)
      let isSent = false
      const onSent = (): void => {
        isSent = true
        request.onSent?.()
      }
      try {
        const isRead = request.method === 'GET' || request.method === 'HEAD'
        const client = isRead ? clients.reads : clients.changes
        const stream = client.stream(url, gotOptions(request, dnsLookup, onSent))
        // Written here: given to got as an option, a body has the request destroyed by an answer that comes before got has noticed
        // that all of it was written.
        if (canHaveBody(request)) stream.end(request.body)
        return await exchange(stream, request.signal)
      } catch (error) {
        throw request.signal.aborted ? request.signal.reason : networkError(error, url.origin, isSent)
      }
    },
    close() {
      for (const { http, https } of Object.values(agents)) {
        http.destroy()
        https.destroy()
      }
    },
  }
}

const nobody: CodeOf = async () => undefined

const privateEgress = (allowPrivate: EgressOptions['allowPrivate']): PrivateEgress =>
  'everyone' in allowPrivate ? allowPrivate : { everyone: allowPrivate, organizations: new Map() }

function agentsFor(timeout: number): { readonly http: HttpAgent; readonly https: HttpsAgent } {
  const limits = { keepAlive: true, maxSockets: maxSocketsPerHost, timeout }
  return {
    http: withSeparatePools(new HttpAgent(limits)),
    https: withSeparatePools(new HttpsAgent(limits)),
  }
}

const sameForAll: OptionsInit = {
  headers: { 'user-agent': 'tocsin' },
  followRedirect: false,
  // Nothing to copy for each request.
  retry: { limit: 0, methods: [], statusCodes: [], errorCodes: [] },
  throwHttpErrors: false,
  decompress: true,
  https: { rejectUnauthorized: true },
  maxHeaderSize: maxHeaderBytes,
}

function gotOptions(request: EgressRequest, dnsLookup: LookupFunction, onSent: () => void): OptionsInit {
  const { method, headers, body = '', signal, organizationUuid, isConnection = false } = request
  const withBody = canHaveBody(request)
  return {
    method,
    headers: {
      ...checkHeaders(headers),
      ...(withBody && { 'content-length': String(Buffer.byteLength(body)) }),
    },
    allowGetBody: withBody,
    signal,
    dnsLookup,
    // A socket that a connection opened may lead to a private address: requests without one must not find it.
    request: openRequest(`${organizationUuid ?? ''} ${isConnection}`, onSent),
  }
}

/** got's stream then waits for the body to be written, be it empty. */
const canHaveBody = ({ method, body }: EgressRequest): boolean =>
  method !== 'HEAD' && (method !== 'GET' || body !== undefined)

async function exchange(stream: GotRequest, signal: AbortSignal): Promise<EgressResponse> {
  try {
    const response = await firstResponse(stream)
    signal.throwIfAborted()
    const headers = flatten(response.headers)
    return { status: response.statusCode, headers, body: await readBody(stream, headers['content-type']) }
  } finally {
    // What is over has let go of its connection and its signal; a body that nobody reads is not sent any further.
    if (!stream.readableEnded || !stream.writableFinished) stream.destroy()
  }
}

function firstResponse(stream: GotRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve)
    // Stays for good: an error after the response reaches the reader, and must not reach the process.
    stream.on('error', reject)
    stream.once('upgrade', (_response: unknown, socket: Socket) => {
      socket.destroy()
      reject(new Error('the other system switched to another protocol'))
    })
  })
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')])
  return Object.fromEntries(pairs) as Record<string, string>
}
