/** A request that is to take effect once, however often it is sent. */
export interface OnceRequest {
  /** Whose key it is: others may use the same one. */
  readonly apiKeyUuid: string
  /** As the sender chose it. Nothing keeps it as it is. */
  readonly key: string
  /** All that it asks for, in one form. Nothing keeps it as it is. */
  readonly asks: string
  /** Milliseconds for which it is remembered. */
  readonly keepMs: number
}

/** How the answer of work is made again that was lost with the process: of what the first write of the work gave. */
export interface RecalledWork<T> {
  /** Kept in the commit of that write, as JSON. Undefined: of this the answer cannot be made. */
  readonly keeps: (written: unknown) => unknown
  readonly answer: (kept: unknown) => Promise<T>
}

export interface RequestStore {
  /**
   * Does `work`, whose first write also remembers that it was done, in one commit; keeps what it gives, as JSON. While that is remembered, a
   * second call does nothing and gives what was kept; one at the same time waits for the first. Work that fails before it has written can be
   * tried again.
   *
   * Where the process ended between the write and what `work` gave, that is made again as `recall` says.
   *
   * Throws ConflictError `idempotency_key_reused` where the key came with something else, and `request_interrupted` where an answer is lost and
   * cannot be made again.
   */
  once<T>(
    request: OnceRequest,
    work: () => Promise<T>,
    recall?: RecalledWork<T>,
  ): Promise<{ readonly answer: T; readonly replayed: boolean }>
}
