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
