import type { Egress } from '../../core/ports/egress.ts'

/** Most bytes of an answer: documents, keys and tokens are a few kilobytes. */
const maxBytes = 1_000_000

/** Of a request without its own deadline. */
const defaultTimeoutMs = 10_000

export interface FetchOptions {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/**
 * A `fetch` for libraries that sends through the guarded egress, without redirects. The operator has configured the address, so it may
 * be private if `TOCSIN_ALLOW_PRIVATE_EGRESS` allows that.
 */
export const egressFetch =
  (egress: Egress) =>
  async (url: string, { method, headers, body, signal }: FetchOptions): Promise<Response> => {
    const answer = await egress.send({
      isConnection: true,
      method,
      url,
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? undefined : textOf(body),
      maxBytes,
      signal: signal ?? AbortSignal.timeout(defaultTimeoutMs),
    })
    const { status, bytes = new Uint8Array() } = answer
    const isEmpty = status === 204 || status === 205 || status === 304
    return new Response(isEmpty ? null : new Uint8Array(bytes), { status, headers: answer.headers })
  }

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('expected a form or a string as the body of a request')
}
