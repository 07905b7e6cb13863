import type { RequestPath } from './request-path.ts'

/** A value that can stand in a query; a list repeats its name; `undefined` leaves the name out. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | undefined

/** One request to the other system. At most one of `json`, `form` and `body`. */
export interface HttpRequest {
  /** Default `GET`. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Path below the connection's base URL. Values go in as items of a list, `['v2', 'ip', ip]`, each of which becomes one percent-encoded
   * segment; as text it begins with `/`, has no query, and is refused where it could lead elsewhere.
   * An absolute https URL, fetched without credentials, where the step has no connection or the connection lists its origin
   * among `otherOrigins`. An absolute address below the base URL, such as a link to the next page, is that path. */
  readonly path: RequestPath
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as `application/json`. */
  readonly json?: unknown
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as it is; set `content-type` yourself. */
  readonly body?: string
  /** Statuses outside 200-299 that the caller wants to see as answers and not as errors, e.g. `[404]`. */
  readonly accept?: readonly number[]
}

export interface HttpResponse {
  readonly status: number
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The decompressed body, at most 10 MB. */
  readonly text: string
  /** The body as JSON; a body that is not JSON, or nested deeper than 100, is a SkillError `bad_response`. */
  json(): unknown
}

/**
 * The way out. Bound to one connection: its origin, its credentials, its error table, its rate. Redirects are not followed, nothing
 * is retried here (the engine retries) but once with a new token after a 401, and the step's deadline ends every call.
 *
 * Throws ConnectionError on 401 and 403, {@link RetryableError} on 408, 429, 5xx and network trouble, and SkillError `http_<status>` on every
 * other status outside 200-299, unless `accept` names the status.
 */
export interface HttpClient {
  request(request: HttpRequest): Promise<HttpResponse>
  get(path: RequestPath, options?: Omit<HttpRequest, 'path' | 'method'>): Promise<HttpResponse>
  post(path: RequestPath, options?: Omit<HttpRequest, 'path' | 'method'>): Promise<HttpResponse>
}
