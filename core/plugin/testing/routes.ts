import type { SandboxRequest } from '../index.ts'

/** A request, as passed to a sandbox's handler. */
export interface SandboxCall extends SandboxRequest {
  /** The path without the query, percent-encoded as sent. */
  readonly pathname: string
  readonly query: URLSearchParams
  /** Values of `:name` in the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The body as it came; `new Response(bytes, { headers }).formData()` reads a multipart body. */
  readonly bytes: Uint8Array
  /** The parsed JSON body; any other body is answered with 400. */
  json(): unknown
  /** The body as `application/x-www-form-urlencoded`. */
  form(): URLSearchParams
}

/** At most one of `json`, `text` and `bytes`. */
export interface SandboxReply {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  readonly bytes?: Uint8Array
  /** Delay before the response, in milliseconds. */
  readonly delayMs?: number
}

/** The body of a reply, and its content type unless the headers name another. */
export function contentOf({ json, text = '', bytes }: SandboxReply): {
  readonly type: string
  readonly body: string | Uint8Array
} {
  if (bytes !== undefined) return { type: 'application/octet-stream', body: bytes }
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) }
  return { type: 'text/plain; charset=utf-8', body: text }
}

/** A page that a gateway or sign-in form sends instead of the other system. */
export const htmlReply = (status: number, text: string): SandboxReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  text,
})

export type SandboxHandler = (call: SandboxCall) => SandboxReply | Promise<SandboxReply>

/**
 * What a sandbox with state answers. `recorded` is the answer of the examples, undefined if none has the request;
 * undefined as a result leaves it.
 */
export type SandboxState = (call: SandboxCall, recorded: SandboxReply | undefined) => SandboxReply | undefined

/** By `<METHOD> <path>`, e.g. `GET /v2/ip/:value`. Anything else is answered with 404. */
export type SandboxRoutes = Readonly<Record<string, SandboxHandler>>

interface Route {
  readonly method: string
  readonly segments: readonly string[]
  readonly handler: SandboxHandler
}

/** Combines handlers; an unknown path is answered with 404, a known path with another method with 405. */
export function compileRoutes(routes: SandboxRoutes): SandboxHandler {
  const compiled = Object.entries(routes).map(([name, handler]): Route => {
    const [method = '', path = ''] = name.split(' ')
    return { method, segments: path.split('/'), handler }
  })
  return (call) => {
    const matching = compiled.flatMap((route) => {
      const params = match(route.segments, call.pathname.split('/'))
      return params === undefined ? [] : [{ route, params }]
    })
    const found = matching.find(({ route }) => route.method === call.method)
    if (found !== undefined) return found.route.handler({ ...call, params: found.params })
    return { status: matching.length > 0 ? 405 : 404, json: { error: { message: 'Not found' } } }
  }
}

function match(
  pattern: readonly string[],
  path: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== path.length) return undefined
  const params: [string, string][] = []
  for (const [index, segment] of pattern.entries()) {
    const actual = path[index] ?? ''
    if (segment.startsWith(':')) params.push([segment.slice(1), decode(actual)])
    else if (segment !== actual) return undefined
  }
  return Object.fromEntries(params)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
