import type { Effect } from './errors.ts'
import type { HttpClient, SocketAddress, SocketClient } from './http.ts'
import type { InboundHandler, InboundHandshake, ManifestAbout } from './inbound.ts'
import type { Infer, JsonSchema } from './json-schema.ts'
import type { Secret } from './secret.ts'

/** How a plugin reaches its other system. Secrets among the settings are marked `x-secret` in the schema. */
export interface ConnectionDefinition<S extends JsonSchema = JsonSchema> {
  readonly title: string
  readonly description: string
  /** The vendor's documentation on creating credentials. */
  readonly docs?: string
  /**
   * Steps for the operator, from nothing to working credentials, as plain text. Shown beside the form of the
   * connection. Default: none.
   */
  readonly setup?: readonly string[]
  /** Schema of the fields that an operator fills in; an object. */
  readonly settings: S
  /** Origin and base path of every request, without trailing slash. Requests never leave this origin. */
  readonly baseUrl: (settings: Infer<S>) => string
  /**
   * Further origins allowed in absolute addresses, e.g. of an identity provider or a download store. They
   * never receive the connection's headers. Default: none.
   */
  readonly otherOrigins?: (settings: Infer<S>) => readonly string[]
  /**
   * Addresses of protocols other than HTTP, such as IMAP, by name: what `sockets` of the context may open. Default:
   * none.
   */
  readonly sockets?: (settings: Infer<S>) => Readonly<Record<string, SocketAddress>>
  /**
   * Further addresses of the other system, by name, each with separate credentials or none. A request names
   * one as
   * `host`; it then never receives the credentials and headers of the connection itself. Default: none.
   */
  readonly hosts?: Readonly<Record<string, HostDefinition<S>>>
  /**
   * Headers with the credentials. Called right before each request is sent, so that they may contain a time
   * or a signature. If it throws, the request fails with ConnectionError `connection_invalid`.
   */
  readonly headers?: (settings: Infer<S>, moment: Moment) => Readonly<Record<string, string>>
  /**
   * Adds credentials that depend on the request: an API key in the query, a signature. Called for each
   * request below the base URL, right before it is sent, after `headers` and `token`. If it throws, the
   * request fails with ConnectionError `connection_invalid`. Also called with an example when the settings
   * are entered.
   */
  readonly sign?: (request: RequestToSign, settings: Infer<S>) => RequestSignature
  /**
   * The token request for `authorization: Bearer …` below the base URL. The runtime fetches and caches the
   * token, and renews it shortly before it expires and after a 401. Called for each fetch, so that the form
   * may contain an assertion that expires. If it throws, the request fails with ConnectionError
   * `connection_invalid`.
   */
  readonly token?: (settings: Infer<S>, moment: Moment) => TokenRequest
  /**
   * How an administrator signs in to the other system, instead of `token`: the OAuth 2.0 authorization code grant. The
   * runtime stores the tokens, sends `authorization: Bearer …` below the base URL, and renews the access token shortly
   * before it expires and after a 401. If it throws, the request fails with ConnectionError `connection_invalid`.
   */
  readonly signIn?: (settings: Infer<S>) => SignInRequest
  /**
   * The rate budget of a request; the settings tell e.g. the quota of the plan. Default, also for undefined:
   * one for the whole connection, without limits.
   */
  readonly rate?: (request: RatedRequest, settings: Infer<S>) => RateBudget | undefined
  /**
   * Explains errors of the other system to the operator: hints by status, or a function that reads the
   * answer. If it returns nothing or throws, the message is taken from the body.
   */
  readonly errors?: Readonly<Record<number, string>> | ((answer: ErrorAnswer) => ExplainedError | undefined)
  /**
   * Tests the credentials; throws what its requests throw. May return a warning for the operator, e.g. that
   * they expire in a week.
   */
  readonly authenticate: (context: ConnectionContext<Infer<S>>) => Promise<Authenticated | void>
  /**
   * Handlers of webhooks, by the last word of their address: `POST /<api prefix>/webhooks/<plugin, with
   * hyphens>/v1/<word>?token=<token of the connection>`. Default: none.
   */
  readonly inbound?: Readonly<Record<string, InboundHandler<Infer<S>>>>
  /** For webhooks whose address the other system tests by GET, by their words. Default: GET is refused. */
  readonly handshakes?: Readonly<Record<string, InboundHandshake<Infer<S>>>>
  /**
   * A JSON document that configures the other system for this connection, such as the manifest of an app. May
   * contain the addresses of `inbound`, whose token is secret, but no other secret. Default: the addresses of
   * `inbound` by their words, if there are any.
   */
  readonly manifest?: (about: ManifestAbout) => unknown
}

/** A further address of a connection, as {@link ConnectionDefinition} declares its own. */
export interface HostDefinition<S extends JsonSchema = JsonSchema> extends Pick<
  ConnectionDefinition<S>,
  'baseUrl' | 'headers' | 'sign' | 'token'
> {
  /**
   * Sends the connection's token (from `token` or `signIn`) with requests to this address. Default: only the
   * token of the address's own `token`.
   */
  readonly sharesToken?: true
}

/** The time at which credentials are created. */
export interface Moment {
  /** Epoch milliseconds. Use it in place of `Date.now()`: tests set it. */
  readonly nowMs: number
}

/** A complete request, except for its signature. */
export interface RequestToSign {
  readonly method: string
  /** Absolute, percent-encoded, with the query. */
  readonly url: string
  /** Names in lower case. Without `host`, `content-length` and others that the HTTP client adds. */
  readonly headers: Readonly<Record<string, string>>
  /** As it is sent; empty if there is none. */
  readonly body: Uint8Array
  /** Epoch milliseconds. Use it in place of `Date.now()`: tests set it. */
  readonly nowMs: number
}

/** Values that authenticate a request. */
export interface RequestSignature {
  /** Replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replace parameters of the same name in the query. */
  readonly query?: Readonly<Record<string, string>>
}

/** An answer with a status that the skill did not accept. Its content is not trusted. */
export interface ErrorAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown
}

/** An explained error. Missing fields get default values. */
export interface ExplainedError {
  /** The message; one line of at most 300 characters is shown, redacted. */
  readonly message?: string | undefined
  /** The fix for the operator. */
  readonly hint?: string | undefined
  /**
   * `none` if the vendor documents that nothing was done, e.g. for a 503 with `Retry-After`; a write is then
   * retried whatever its class. Default: what the status implies.
   */
  readonly effect?: Effect | undefined
  /**
   * The meaning of the answer, if the status alone does not tell: `rate_limited` and `unavailable` are tried
   * again later,
   * `credentials` asks the operator for others, `refused` ends the step. It is also the code of the error.
   * Default:
   * what the status implies, with the code `http_<status>`.
   */
  readonly error?: ErrorMeaning | undefined
}

/** The meaning of an error of the other system for the caller. */
export const errorMeanings = ['rate_limited', 'unavailable', 'credentials', 'refused'] as const
export type ErrorMeaning = (typeof errorMeanings)[number]

/** The result of a successful test of credentials. */
export interface Authenticated {
  /** The account, e.g. `workspace Example (T012), bot tocsin (U034)`; shown to the operator. */
  readonly account?: string | undefined
  /** One sentence for the operator: what will fail when, and what to do. */
  readonly warning?: string | undefined
}

export interface ConnectionContext<Settings> {
  readonly settings: Settings
  readonly http: HttpClient
  readonly sockets: SocketClient
  /**
   * The token of the connection, e.g. to read the permissions in a JWT. Throws what fetching it throws; an
   * Error if the connection declares no `token`.
   */
  token(): Promise<Secret>
  /** Epoch milliseconds. */
  readonly nowMs: number
  readonly signal: AbortSignal
}

/** Declares a connection. The types of `settings` follow from its schema. */
export function defineConnection<const S extends JsonSchema>(
  definition: ConnectionDefinition<S>,
): ConnectionDefinition<S> {
  return definition
}

/**
 * An OAuth 2.0 client credentials request (RFC 6749, section 4.4): one POST of a form. Sent when a request
 * first needs the token, and again shortly before it expires.
 */
export interface TokenRequest {
  /**
   * Below the connection's base URL, beginning with `/`; or an absolute address whose origin `otherOrigins`
   * lists.
   */
  readonly path: string
  /** The fields of the form, including `grant_type`, and the credentials unless `headers` contains them. */
  readonly form: Readonly<Record<string, string>>
  /** Further headers, e.g. `authorization: Basic …` (RFC 6749, section 2.3.1). Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Explains a refusal to the operator, as the hint of the error. Default: check the credentials. */
  readonly explain?: (answer: TokenRefusal) => string | undefined
}

/**
 * An OAuth 2.0 authorization code grant (RFC 6749, section 4.1), always with PKCE (RFC 7636, S256). The redirect URI is
 * `<public URL>/oauth/callback/<plugin, with hyphens>`.
 */
export interface SignInRequest {
  /** The page where the administrator agrees, opened in the browser: addressed like `token`, or any https address. */
  readonly authorize: string
  /** The token endpoint; see `path` of {@link TokenRequest}. */
  readonly token: string
  /** The revocation endpoint (RFC 7009), addressed like `token`. Default: tokens are only discarded here. */
  readonly revoke?: string
  readonly clientId: string
  /** Default: none, for a public client. */
  readonly clientSecret?: string
  /** Where the client secret is sent: in the form, or in an `authorization: Basic` header. Default: `form`. */
  readonly send?: 'form' | 'basic'
  /** Separated by spaces. Default: none. */
  readonly scope?: string
  /** Further parameters of the authorization request, e.g. `access_type: offline`. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Further fields of every token request. */
  readonly form?: Readonly<Record<string, string>>
  /** If given, the answer of the authorization endpoint must name this `iss` (RFC 9207). */
  readonly issuer?: string
  /**
   * `reusable` if the vendor accepts a refresh token again after the answer to its use was lost; otherwise such a loss
   * requires a new sign-in. Default: `single_use`.
   */
  readonly refreshToken?: 'single_use' | 'reusable'
}

/** The answer that refused a token. */
export interface TokenRefusal {
  readonly status: number
  /** The body as JSON; undefined if it is not JSON. Its content is not trusted. */
  readonly body: unknown
}

/** The number of requests that the other system accepts in any time window of this length. */
export interface RateLimit {
  /** 1 to 10,000. */
  readonly requests: number
  /** Milliseconds. */
  readonly perMs: number
}

/**
 * The rate budget of a request. All runs of the process share one for each connection and bucket. A request
 * waits for its turn, in order, if that comes within 10 seconds and half of the attempt's remaining time.
 * Otherwise it fails unsent with {@link RetryableError} `rate_limited`; the engine repeats the step later
 * without counting that as a failure. A 429 with `Retry-After` closes the bucket for that time, at most five
 * minutes.
 */
export interface RateBudget {
  /** Requests of the same bucket share its limits. Use a fixed set of words, never values from alerts. */
  readonly bucket: string
  /** All limits apply, e.g. 100 a minute and 1,500 an hour. Empty: only `Retry-After` closes the bucket. */
  readonly limits: readonly RateLimit[]
}

/** The request to choose a budget for. */
export interface RatedRequest {
  /** `CONNECT` for a socket, whose path is its name. */
  readonly method: string
  /** As given by the skill, without query: below the base URL, or absolute for one of `otherOrigins`. */
  readonly path: string
}
