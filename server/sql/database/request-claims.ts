import { AsyncLocalStorage } from 'node:async_hooks'
import type { Work } from './work.ts'

/** Records the request in its first write. */
export interface Claim {
  /** Call inside the write, at its end and with its result; repeated after a rollback. @param write identifies the write */
  take(written: unknown, write: unknown): Work<void>
  /** Call after the commit. */
  taken(): void
}

/** A write that also takes the claim, in one commit. */
export function* claimedWork<T>(work: () => Work<T>, claim: Claim): Work<T> {
  const result = yield* work()
  yield* claim.take(result, work)
  return result
}

/** Context of a request with an idempotency key; writes read it (`GroupCommit.write`). */
export const claims = new AsyncLocalStorage<Claim | undefined>()
