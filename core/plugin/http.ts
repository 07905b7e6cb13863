import type { Duplex } from 'node:stream'
import type { RequestPath } from './request-path.ts'

/** A value in a query: a list repeats its name, `undefined` omits it. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | undefined

/** A request to the other system, with at most one of `json`, `form`, `multipart` and `body`. */
export interface HttpRequest {
  /** Default `GET`. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Path below the connection's base URL. Pass values as items of a list, `['v2', 'ip', ip]`: each becomes one
   * percent-encoded segment. A string begins with `/`, has no query, and is refused if it could lead elsewhere.
   * Without a connection, or for an origin in `otherOrigins`, an absolute https address, fetched without
   * credentials. An absolute address below the base URL, such as a link to the next page, counts as its path.
   */
  readonly path: RequestPath
  /** Name of one of the connection's `hosts`, which `path` is then below. Default: the base URL of the connection. */
  readonly host?: string
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as `application/json`. */
  readonly json?: unknown
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as `multipart/form-data`, in this order. */
  readonly multipart?: readonly MultipartPart[]
  /** Sent unchanged, at most 32 MB; set `content-type` yourself. Default for bytes: `application/octet-stream`. */
  readonly body?: string | Uint8Array
  /** Statuses outside 200-299 to return as answers instead of errors, e.g. `[404]`. */
  readonly accept?: readonly number[]
  /** The request of a writing skill changes nothing although it is no GET, such as a search by POST. */
  readonly reads?: true
  /** Reads the body of an answer with status 200-299 as bytes, e.g. of a file. Default: as text. */
  readonly bytes?: ExpectedBytes
}

/** A field of a form, or a file if it has a `filename`. */
export interface MultipartPart {
  readonly name: string
  readonly value: string | Uint8Array
  /** Required for bytes. */
  readonly filename?: string
  /** Of a file. Default `application/octet-stream`. */
  readonly contentType?: string
}

/** The accepted answers; any other is a SkillError `response_too_large` or `bad_response`. */
export interface ExpectedBytes {
  /** Largest body, in bytes after decompression. Default and at most 32 MB. */
  readonly maxBytes?: number
  /** Accepted content types without parameters, e.g. `application/pdf` or `image/*`. Default: all. */
  readonly contentTypes?: readonly string[]
}

export interface HttpResponse {
  readonly status: number
  /** Address of the request, to resolve relative addresses in the answer; without what `sign` added. */
  readonly url: string
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The decompressed body, at most 10 MB; empty if it is in `bytes`. */
  readonly text: string
  /** The decompressed body if the request has `bytes` and the status is 200-299, else empty. */
  readonly bytes: Uint8Array
  /** The body as JSON. Throws SkillError `bad_response` if it is not JSON or nested deeper than 100 levels. */
  json(): unknown
}

/**
 * The HTTP client of one connection, with its origin, credentials, error table and rate. It follows no redirects
 * and does not retry, except once with a new token after a 401; the step's deadline ends every request.
 *
 * Throws ConnectionError for 401 and 403, {@link RetryableError} for 408, 429, 5xx and network errors, and
 * SkillError `http_<status>` for other statuses outside 200-299 that `accept` does not list.
 */
export interface HttpClient {
  request(request: HttpRequest): Promise<HttpResponse>
  get(path: RequestPath, options?: Omit<HttpRequest, 'path' | 'method'>): Promise<HttpResponse>
  post(path: RequestPath, options?: Omit<HttpRequest, 'path' | 'method'>): Promise<HttpResponse>
}

/** Where a plugin may open a socket. */
export interface SocketAddress {
  /** A name or a literal address. */
  readonly host: string
  readonly port: number
  /**
   * TLS begins with the first byte, or after the STARTTLS of the protocol. The plugin sees only encrypted
   * traffic: after STARTTLS, the stream begins with a new greeting. Default `immediate`.
   */
  readonly tls?: 'immediate' | 'starttls_imap' | 'starttls_smtp' | undefined
}

/**
 * The sockets of one connection, for protocols other than HTTP. They have its rate, proxy, certificate authority and
 * client certificate, and are closed when the call ends.
 */
export interface SocketClient {
  /**
   * Opens a TLS connection to an address that the connection declares in `sockets`, at its turn. Resolves when the
   * certificate is verified.
   *
   * Throws {@link RetryableError} if the system cannot be reached, and ConnectionError `tls_refused`.
   *
   * @param maxBytes to receive; then the stream fails with SkillError `response_too_large`. Default 64 MB.
   */
  open(name: string, maxBytes?: number): Promise<Duplex>
  /**
   * For a writing skill: call it right before sending what may change something. From then on, an interrupted
   * call has an unknown outcome. Errors say `effect: 'none'` where the other system refused the change. Throws if the
   * call is over.
   */
  beforeChange(): void
}
