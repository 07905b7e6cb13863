import { AsyncLocalStorage } from 'node:async_hooks'

/** What the first write of a request does besides: it remembers the request. */
export interface Claim {
  /** Inside of the write, after what it does and with what that gives: again, where it was undone. */
  take(written: unknown): void
  /** It is committed. */
  taken(): void
}

/** Beside the course of a request that takes effect once; its writes look for it (`GroupCommit.write`). */
export const claims = new AsyncLocalStorage<Claim | undefined>()
