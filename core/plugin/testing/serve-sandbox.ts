import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { parseJson } from '../../common/json.ts'
import type {
  RateLimit,
  RunningSandbox,
  Sandbox,
  SandboxCommand,
  SandboxOptions,
  SandboxRequest,
} from '../index.ts'
import { countCalls } from './count-calls.ts'
import { fail, type Failure } from './failures/failures.ts'
import {
  compileRoutes,
  contentOf,
  type SandboxCall,
  type SandboxReply,
  type SandboxHandler,
  type SandboxRoutes,
} from './routes.ts'

/** Largest request body that a sandbox reads, in bytes. */
const maxBody = 4_194_304

/** Routes of a sandbox, and controls of its state, e.g. to expire its tokens. */
export interface SandboxBehaviour<Controls> {
  readonly answer: SandboxHandler | SandboxRoutes
  /** Controls for tests. Default: none. */
  readonly controls?: Controls
  /** Named failures of the other system. Default: none. */
  readonly faults?: Readonly<Record<string, SandboxReply>>
  readonly commands?: readonly SandboxCommand[]
  readonly install?: (manifest: unknown) => Promise<void>
}

export interface ServedSandbox<Controls = undefined> extends RunningSandbox {
  readonly controls: Controls
  /** Named failures that `failNext` accepts. */
  readonly faults: Readonly<Record<string, SandboxReply>>
  /** The next `times` requests (default 1) get this response. */
  failNext(how: SandboxReply | Failure, times?: number): void
  /**
   * Limits the number of further requests; the others get 429 with `Retry-After`, or the rate limit response
   * of `faults`.
   */
  limitRate(limit: RateLimit): void
  /** Ends the effect of `failNext` and `limitRate`. */
  stopFailing(): void
}

/**
 * Makes a sandbox over real HTTP on 127.0.0.1, at a free port or the requested one.
 *
 * @param behaviour Called at every start, so that state made in it lasts as long as the running sandbox. It
 * is given `tell`, for what a
 *   person in the other system would see.
 * @param settings What an operator would type in to reach it.
 * @example
 * export default serveSandbox(
 *   () => ({ 'GET /quotes/:id': ({ params }) => ({ json: { id: params.id, text: 'Ring the bell.' } }) }),
 *   (url) => ({ base_url: url, api_key: 'sandbox-key' }), )
 */
export function serveSandbox<Controls = undefined>(
  behaviour: (tell: (news: string) => void) => SandboxHandler | SandboxRoutes | SandboxBehaviour<Controls>,
  settings: MakeSettings,
): StartableSandbox<Controls> {
  return {
    start(options = {}) {
      const made = behaviour(options.onNews ?? (() => undefined))
      return start(isWhole(made) ? made : { answer: made }, settings, options)
    },
  }
}

type MakeSettings = (url: string) => Readonly<Record<string, unknown>>

/** A sandbox that the kit serves. */
export interface StartableSandbox<Controls> extends Sandbox {
  start(options?: SandboxOptions): Promise<ServedSandbox<Controls>>
}

function isWhole<Controls>(
  made: SandboxHandler | SandboxRoutes | SandboxBehaviour<Controls>,
): made is SandboxBehaviour<Controls> {
  return typeof made === 'object' && 'answer' in made
}

async function start<Controls>(
  { answer: answering, controls, faults = {}, commands, install }: SandboxBehaviour<Controls>,
  settings: MakeSettings,
  { port = 0, onAnswer }: SandboxOptions,
): Promise<ServedSandbox<Controls>> {
  const requests: SandboxRequest[] = []
  const failures: (SandboxReply | Failure)[] = []
  const tooMany = Object.values(faults).find(({ status }) => status === 429) ?? {
    json: { error: 'too_many_requests' },
  }
  let refuse: Served['refuse'] = () => undefined
  const served: Served = {
    refuse: () => refuse(),
    handler: typeof answering === 'function' ? answering : compileRoutes(answering),
    requests,
    failures,
    onAnswer: onAnswer ?? (() => undefined),
  }
  const server = createServer((request, response) => void answer(request, response, served))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url,
    controls: controls as Controls,
    faults,
    ...(commands === undefined ? {} : { commands }),
    ...(install === undefined ? {} : { install }),
    settings: settings(url),
    requests,
    failNext(how, times = 1) {
      for (let count = 0; count < times; count++) failures.push(how)
    },
    limitRate(limit) {
      const count = countCalls()
      refuse = () => {
        const waitS = count('', [limit])
        return waitS === undefined
          ? undefined
          : { ...tooMany, status: 429, headers: { 'retry-after': String(waitS) } }
      }
    },
    stopFailing() {
      failures.splice(0)
      refuse = () => undefined
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Failures and limits for every request to a running sandbox. */
interface Served {
  readonly handler: SandboxHandler
  readonly requests: SandboxRequest[]
  readonly failures: (SandboxReply | Failure)[]
  /** The response to a request over the limit. */
  readonly refuse: () => SandboxReply | undefined
  readonly onAnswer: NonNullable<SandboxOptions['onAnswer']>
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { handler, requests, failures, refuse, onAnswer }: Served,
): Promise<void> {
  // Responses depend on the request alone, so that examples can be compared with them.
  response.sendDate = false
  let received: SandboxRequest | undefined
  const finish = (reply: SandboxReply) => {
    if (received !== undefined) onAnswer(received, reply.status ?? 200)
    send(response, reply)
  }
  try {
    const body = await readBody(request)
    if (body === undefined) return finish({ status: 413, json: { error: 'the body is too large' } })
    const call = toCall(request, body)
    received = { method: call.method, path: call.path, headers: call.headers, body: call.body }
    requests.push(received)
    const failure = failures.shift()
    if (typeof failure === 'string') {
      onAnswer(received, failure)
      return fail(failure, response)
    }
    const made = failure ?? refuse() ?? (await handler(call))
    if (made.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, made.delayMs).unref())
    finish(made)
  } catch (error) {
    const badBody = (error as { code?: unknown }).code === 'json_invalid'
    finish({ status: badBody ? 400 : 500, json: { error: String(error) } })
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBody) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function toCall(request: IncomingMessage, bytes: Buffer): SandboxCall {
  const body = bytes.toString()
  const path = request.url ?? '/'
  const [pathname = '/', query = ''] = path.split('?', 2)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return {
    method: request.method ?? 'GET',
    path,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
    bytes,
    pathname,
    query: new URLSearchParams(query),
    params: {},
    json: () => parseJson(body),
    form: () => new URLSearchParams(body),
  }
}

function send(response: ServerResponse, reply: SandboxReply): void {
  if (response.headersSent || response.destroyed) return
  const { type, body } = contentOf(reply)
  response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers }).end(body)
}

export interface ServeTlsOptions {
  /** 0: any free port. */
  readonly port: number
  /** In PEM. */
  readonly cert: string
  readonly key: string
}

export interface ServedTls {
  readonly port: number
  /** Ends all connections. */
  close(): Promise<void>
}

/** A TLS server on 127.0.0.1, for sandboxes of protocols other than HTTP. Errors of its connections are ignored. */
export async function serveTls(
  { port, cert, key }: ServeTlsOptions,
  onConnection: (socket: TLSSocket) => void,
): Promise<ServedTls> {
  const sockets = new Set<TLSSocket>()
  const server = createTlsServer({ cert, key }, (socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
