import {
  request as openHttp,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { request as openHttps } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { Readable } from 'node:stream'
import got, { type Response } from 'got'
import { readBytes } from '../../core/common/read-body.ts'

/** The common parts of all requests to one origin; prepared once. */
export interface ServerOrigin {
  /** Scheme, host and port, as in messages. */
  readonly origin: string
  readonly isSecure: boolean
  /** The value of the `Host` header. */
  readonly host: string
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string
  /** Empty for the default port of the scheme. */
  readonly port: string
  readonly lookup: LookupFunction
}

/** A request as it is sent. */
export interface RawRequest {
  readonly to: ServerOrigin
  readonly agent: Agent
  /** Requests of different pools share no socket. */
  readonly pool: string
  readonly method: string
  readonly path: string
  /** All names and values, alternating. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | undefined
  /** Of the answer. */
  readonly maxBytes: number | undefined
  readonly signal: AbortSignal
  /** Called once, before the first byte leaves; if it throws, none leaves. */
  readonly onSent: () => void
}

/** An answer as it came: its body is still encoded. */
export interface RawResponse {
  readonly head: IncomingMessage
  readonly bytes: Buffer
}

/** Bytes of an answer's headers. */
const maxHeaderSize = 32_768

/**
 * Sends a request in one piece and reads its answer into memory. Rejects with the reason of the signal, SkillError
 * `response_too_large`, or the error of the connection.
 */
export function exchange(wanted: RawRequest): Promise<RawResponse> {
  const { body, maxBytes, signal, onSent } = wanted
  return new Promise((resolve, reject) => {
    const request = open(wanted)
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort)
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of a signal may be anything
      reject(error)
      request.destroy()
    }
    const finish = (response: RawResponse): void => {
      signal.removeEventListener('abort', onAbort)
      resolve(response)
      // Stops sending a body that the other system did not wait for.
      if (!request.writableFinished) request.destroy()
    }
    const onAbort = (): void => fail(signal.reason)
    signal.addEventListener('abort', onAbort)
    // This listener is never removed: a late error must not crash the process.
    request.on('error', fail)
    request.once('upgrade', (_response: unknown, socket: Socket) => {
      socket.destroy()
      fail(new Error('the other system switched to another protocol'))
    })
    request.once('response', (head) => {
      readBytes(head, maxBytes).then((bytes) => finish({ head, bytes }), fail)
    })
    const begin = (): void => {
      try {
        onSent()
      } catch (error) {
        fail(error)
      }
    }
    tellWhenSent(request, wanted.to.isSecure, begin)
    if (!request.destroyed) request.end(body)
  })
}

function open({ to, agent, pool, method, path, headers }: RawRequest): ClientRequest {
  const { hostname, port, lookup } = to
  const options = { hostname, port, path, method, headers, agent, lookup, maxHeaderSize, pool }
  // Set for each connection, because the environment may say otherwise.
  return to.isSecure ? openHttps({ ...options, rejectUnauthorized: true }) : openHttp(options)
}

/** Node holds back written bytes until the connection is open and, with TLS, its certificate verified. */
function tellWhenSent(request: ClientRequest, isSecure: boolean, onSent: () => void): void {
  // A free socket is assigned at once.
  if (request.reusedSocket) return onSent()
  request.once('socket', (socket) => {
    if (request.reusedSocket || (!isSecure && !socket.connecting)) onSent()
    else socket.once(isSecure ? 'secureConnect' : 'connect', onSent)
  })
}

/** The content codings that `got` decodes. */
export const acceptEncoding = 'gzip, deflate, br, zstd'

const client = got.extend({ followRedirect: false, retry: { limit: 0 }, throwHttpErrors: false })

/**
 * Lets `got` decode an answer, since it knows lists of codings and their variants. The whole answer is in
 * memory, so this never waits.
 *
 * @throws SkillError `response_too_large`, or the error of the decoder
 */
export async function decodeBody(
  { origin }: ServerOrigin,
  { head, bytes }: RawResponse,
  maxBytes: number | undefined,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }> {
  const { statusCode, headers } = head
  const answer = Object.assign(Readable.from([bytes], { objectMode: false }), {
    statusCode,
    headers,
    complete: true,
  })
  const stream = client.stream(origin, { request: () => answer as never })
  try {
    const response = await new Promise<Response>((resolve, reject) => {
      stream.once('response', resolve)
      // This listener is never removed: a late error must not crash the process.
      stream.on('error', reject)
    })
    return { headers: response.headers, bytes: await readBytes(stream, maxBytes) }
  } finally {
    stream.destroy()
  }
}
