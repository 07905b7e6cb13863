/** An idempotent request: it takes effect once, however often it is sent. */
export interface OnceRequest {
  /** The API key; other keys may use the same idempotency key. */
  readonly apiKeyUuid: string
  /** As chosen by the sender. Only a hash is stored. */
  readonly key: string
  /** The canonical request. Only a hash is stored. */
  readonly asks: string
  /** How long the request is remembered, in milliseconds. */
  readonly keepMs: number
}

/** How to rebuild an answer that was lost with the process, from the result of the first write. */
export interface RecalledWork<T> {
  /** What to store in the commit of that write, as JSON. Undefined: the answer cannot be rebuilt. */
  readonly keeps: (written: unknown) => unknown
  readonly answer: (kept: unknown) => Promise<T>
}

export interface RequestStore {
  /**
   * Does `work` once. Its first write records the request in the same commit; the answer is stored as JSON. While the request is
   * remembered, a second call returns the stored answer, and a concurrent call waits for it. Work that fails before its first
   * write can be repeated.
   *
   * If the process stops between the write and the answer, `recall` rebuilds the answer.
   *
   * Throws ConflictError `idempotency_key_reused` for a different request, and `request_interrupted` for a lost answer that cannot
   * be rebuilt.
   */
  once<T>(
    request: OnceRequest,
    work: () => Promise<T>,
    recall?: RecalledWork<T>,
  ): Promise<{ readonly answer: T; readonly replayed: boolean }>
  /**
   * For work that consists of many writes: makes this value, as JSON, the first write of the request that is being handled, so that
   * `recall` can go on with it. Does nothing outside of `once`.
   */
  begin(value: unknown): Promise<void>
}
