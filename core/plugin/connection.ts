import type { Effect } from './errors.ts'
import type { HttpClient } from './http.ts'
import type { InboundHandler, ManifestAbout } from './inbound.ts'
import type { Infer, JsonSchema } from './json-schema.ts'
import type { Secret } from './secret.ts'

/** How a plugin reaches its other system. Settings are data; secrets among them are marked `x-secret` in the schema. */
export interface ConnectionDefinition<S extends JsonSchema = JsonSchema> {
  readonly title: string
  readonly description: string
  /** Where the vendor documents how its credentials are made. */
  readonly docs?: string
  /**
   * What an operator does, one step each, from nothing to credentials that work; plain text. Shown beside the form that makes the
   * connection. Default: none.
   */
  readonly setup?: readonly string[]
  /** An object schema: the fields an operator fills in. */
  readonly settings: S
  /** Origin and base path of every call, without trailing slash. Calls never leave this origin. */
  readonly baseUrl: (settings: Infer<S>) => string
  /**
   * Further origins that a call may name with an absolute address, e.g. the identity provider that hands out tokens or the
   * store that holds downloads. They are never sent the connection's headers. Default: none.
   */
  readonly otherOrigins?: (settings: Infer<S>) => readonly string[]
  /**
   * Headers that carry the credentials; asked for each request right before it is sent, so that they may hold a time or a signature.
   * What it throws fails the request with ConnectionError `connection_invalid`.
   */
  readonly headers?: (settings: Infer<S>, moment: Moment) => Readonly<Record<string, string>>
  /**
   * How to get a token that requests below the base URL carry as `authorization: Bearer …`. The runtime fetches, keeps and
   * renews it: once for all calls of the connection, shortly before it expires, and when the other system answers 401. Asked each time
   * that a token is fetched, so that the form may hold an assertion that expires. What it throws is ConnectionError `connection_invalid`.
   */
  readonly token?: (settings: Infer<S>, moment: Moment) => TokenRequest
  /** Which budget a request counts against. Default, also for undefined: one of the whole connection, without limits. */
  readonly rate?: (request: RatedRequest) => RateBudget | undefined
  /**
   * What an error of the other system means, in the operator's words: hints by status, or what a function reads from the answer.
   * Where it gives nothing, or throws, the message is looked for in the body.
   */
  readonly errors?: Readonly<Record<number, string>> | ((answer: ErrorAnswer) => ExplainedError | undefined)
  /**
   * Asks the other system whether the credentials work; throws what the call throws. Where they work and an operator should
   * know more, e.g. that they end in a week, it says so.
   */
  readonly authenticate: (context: ConnectionContext<Infer<S>>) => Promise<Authenticated | void>
  /**
   * What the other system may send to us, by the last word of its address:
   * `POST /<api prefix>/webhooks/<plugin, with hyphens>/v1/<word>?token=<token of the connection>`. Default: nothing.
   */
  readonly inbound?: Readonly<Record<string, InboundHandler<Infer<S>>>>
  /**
   * A document that sets the other system up for this connection, such as the manifest of an app. JSON; it may hold the addresses of
   * `inbound`, whose token is a secret, and no other secret. Default: there is none.
   */
  readonly manifest?: (about: ManifestAbout) => unknown
}

/** When credentials are asked for. */
export interface Moment {
  /** Epoch milliseconds. Use it in place of `Date.now()`: tests set it. */
  readonly nowMs: number
}

/** An answer outside 200-299 that the skill did not ask to see. Written by others: read it with care. */
export interface ErrorAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON; undefined where it is none. */
  readonly body: unknown
}

/** What is known of an error of the other system; what is left out is found as for any system. */
export interface ExplainedError {
  /** What it says. One line of at most 300 characters is shown, without secrets. */
  readonly message?: string | undefined
  /** What to do about it. */
  readonly hint?: string | undefined
  /**
   * `none`: its vendor documents that the request was refused before anything was done, e.g. for 503 with `Retry-After`; a write is then
   * tried again whatever its class. Default: what is known of the status.
   */
  readonly effect?: Effect | undefined
}

/** What is to be said about credentials that work. */
export interface Authenticated {
  /** Whose they are, as the other system says it, e.g. `workspace Example (T012), bot tocsin (U034)`; shown to the operator. */
  readonly account?: string | undefined
  /** One sentence for the operator: what will go wrong when, and what to do. */
  readonly warning?: string | undefined
}

export interface ConnectionContext<Settings> {
  readonly settings: Settings
  readonly http: HttpClient
  /**
   * The token that requests carry, for what it says about itself, e.g. the permissions in a JWT. Throws what fetching it throws;
   * an Error where the connection declares no `token`.
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
 * How a connection gets its token: OAuth 2.0 client credentials (RFC 6749, section 4.4), one POST of a form. The runtime sends it
 * when a request first needs the token, and again shortly before the token expires.
 */
export interface TokenRequest {
  /** Below the connection's base URL, beginning with `/`; or an absolute address whose origin `otherOrigins` lists. */
  readonly path: string
  /** The fields of the form, `grant_type` and the credentials among them. */
  readonly form: Readonly<Record<string, string>>
  /** What a refusal means, in the operator's words: shown as the hint of the error. Default: check the credentials. */
  readonly explain?: (answer: TokenRefusal) => string | undefined
}

/** What the other system answered instead of a token. */
export interface TokenRefusal {
  readonly status: number
  /** The body as JSON; undefined where it is none. Written by others: read it with care. */
  readonly body: unknown
}

/** How many requests the other system takes within any span of so much time. */
export interface RateLimit {
  /** 1 to 10,000. */
  readonly requests: number
  /** Milliseconds. */
  readonly perMs: number
}

/**
 * The budget that a request counts against. There is one for each connection and bucket, shared by all runs of the process: a
 * request waits for its turn, in order, where that comes within 10 seconds and half of the time that its attempt has left, and
 * otherwise fails with {@link RetryableError} `rate_limited` without being sent; the engine tries the step again when there is
 * room, and does not count that as a failure. A 429 with `Retry-After` closes the bucket until then, up to five minutes.
 */
export interface RateBudget {
  /** Requests of the same bucket share the limits. Choose from a few words, never from values that come with alerts. */
  readonly bucket: string
  /** All of them hold, e.g. 100 a minute and 1,500 an hour. None: only `Retry-After` closes the bucket. */
  readonly limits: readonly RateLimit[]
}

/** The request that asks for its turn. */
export interface RatedRequest {
  readonly method: string
  /** As the skill gave it, without query: below the base URL, or absolute for one of `otherOrigins`. */
  readonly path: string
}
