import { AsyncLocalStorage } from 'node:async_hooks'

/** Records the request in its first write. */
export interface Claim {
  /** Call inside the write, at its end and with its result; repeated after a rollback. */
  take(written: unknown): void
  /** Call after the commit. */
  taken(): void
}

/** Context of a request with an idempotency key; writes read it (`GroupCommit.write`). */
export const claims = new AsyncLocalStorage<Claim | undefined>()
