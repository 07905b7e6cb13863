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
