import type { RequestPath } from './request-path.ts'

/** A value in a query: a list repeats its name, `undefined` omits it. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | undefined

/** A request to the other system, with at most one of `json`, `form` and `body`. */
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
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as `application/json`. */
  readonly json?: unknown
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent unchanged; set `content-type` yourself. */
  readonly body?: string
  /** Statuses outside 200-299 to return as answers instead of errors, e.g. `[404]`. */
  readonly accept?: readonly number[]
}

export interface HttpResponse {
  readonly status: number
  /** Address of the request, to resolve relative addresses in the answer; without what `sign` added. */
  readonly url: string
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The decompressed body, at most 10 MB. */
  readonly text: string
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
