import type { Clock } from '../../ports/clock.ts'
import type { ConnectionPause } from '../../ports/nodes/signals.ts'
import type { NodeShares } from './node-share.ts'
import { RateBucket } from './rate-bucket.ts'

/** The rate budgets of all connections of a process. */
export interface RateBudgets {
  /** Returns the same bucket for the same connection and name. */
  readonly bucket: (connectionUuid: string, name: string) => RateBucket
  /** Another system asked to pause: nothing is sent for this time, here and by the other nodes. */
  readonly pause: (pause: ConnectionPause) => void
  /** Another node was asked to pause. */
  readonly pauseHere: (pause: ConnectionPause) => void
  /** The pauses that have not ended, with the time that is left. */
  readonly pauses: () => readonly ConnectionPause[]
}

export interface RateBudgetsOptions {
  /** Default: no other node sends requests. */
  readonly shares?: Pick<NodeShares, 'part'> | undefined
  /** Tells the other nodes. */
  readonly onPause?: ((pause: ConnectionPause) => void) | undefined
}

/** Beyond this number, unused buckets are dropped. */
const maxBuckets = 1_000

export function createRateBudgets(clock: Clock, { shares, onPause }: RateBudgetsOptions = {}): RateBudgets {
  const buckets = new Map<string, RateBucket>()
  function bucket(connectionUuid: string, name: string): RateBucket {
    const key = `${connectionUuid} ${name}`
    const found = buckets.get(key) ?? new RateBucket(clock, shares)
    if (!buckets.has(key) && buckets.size >= maxBuckets) letGo(buckets)
    buckets.set(key, found)
    return found
  }

  function pauseHere({ connectionUuid, name, forMs }: ConnectionPause): void {
    bucket(connectionUuid, name).close(clock.now() + forMs)
  }

  function pauses(): readonly ConnectionPause[] {
    const now = clock.now()
    return [...buckets].flatMap(([key, { closedUntil }]) => {
      const [connectionUuid = '', ...words] = key.split(' ')
      return closedUntil > now ? [{ connectionUuid, name: words.join(' '), forMs: closedUntil - now }] : []
    })
  }

  return {
    bucket,
    pauseHere,
    pauses,
    pause(pause) {
      pauseHere(pause)
      onPause?.(pause)
    },
  }
}

/** Drops buckets without state; if there are none, the oldest without waiting requests. */
function letGo(buckets: Map<string, RateBucket>): void {
  for (const [key, bucket] of buckets) if (bucket.isIdle()) buckets.delete(key)
  if (buckets.size < maxBuckets) return
  for (const [key, bucket] of buckets) {
    if (bucket.isWaitedFor) continue
    buckets.delete(key)
    return
  }
}
