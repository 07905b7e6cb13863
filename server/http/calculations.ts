import { setImmediate, setTimeout } from 'node:timers/promises'
import { RequestError } from './request-error.ts'
import type { Caller } from './route.ts'

/** Work whose length follows from what somebody sends, such as the reading of a playbook: done one at a time. */
export interface Calculations {
  /** @throws RequestError `too_many_requests` where too many of this key wait already */
  inTurn<T>(caller: Pick<Caller, 'keyUuid'>, work: () => T): Promise<T>
}

/** Of one key: more than an editor asks for while somebody types. */
const maxWaiting = 8
/** In milliseconds: what is shorter keeps nobody from being answered. */
const shortMs = 10

/** After each piece of work others have as much time as it took, so that calculations take half of the process at most. */
export function createCalculations(): Calculations {
  const waiting = new Map<string, number>()
  let last: Promise<unknown> = Promise.resolve()
  return {
    async inTurn({ keyUuid }, work) {
      const before = waiting.get(keyUuid) ?? 0
      if (before >= maxWaiting) throw full()
      waiting.set(keyUuid, before + 1)
      const mine = last.then(() => setImmediate()).then(() => timed(work))
      last = mine.then(({ tookMs }) => (tookMs < shortMs ? undefined : setTimeout(tookMs)))
      try {
        const { outcome } = await mine
        return outcome()
      } finally {
        const left = (waiting.get(keyUuid) ?? 1) - 1
        if (left === 0) waiting.delete(keyUuid)
        else waiting.set(keyUuid, left)
      }
    },
  }
}

/** Never throws: the time counts however the work ended. */
function timed<T>(work: () => T): { readonly outcome: () => T; readonly tookMs: number } {
  const startedAt = performance.now()
  let outcome: () => T
  try {
    const result = work()
    outcome = () => result
  } catch (error) {
    outcome = () => {
      throw error
    }
  }
  return { outcome, tookMs: performance.now() - startedAt }
}

function full(): RequestError {
  return new RequestError('too_many_requests', `${maxWaiting} requests of this key wait to be worked on.`, {
    hint: 'send one after the other',
    headers: { 'retry-after': '1' },
  })
}
