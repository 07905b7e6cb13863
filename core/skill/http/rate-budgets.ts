import type { Clock } from '../../ports/clock.ts'
import { RateBucket } from './rate-bucket.ts'

/** The rate budgets of all connections of a process. */
export interface RateBudgets {
  /** Returns the same bucket for the same connection and name. */
  bucket(connectionUuid: string, name: string): RateBucket
}

/** Beyond this number, unused buckets are dropped. */
const maxBuckets = 1_000

export function createRateBudgets(clock: Clock): RateBudgets {
  const buckets = new Map<string, RateBucket>()
  return {
    bucket(connectionUuid, name) {
      const key = `${connectionUuid} ${name}`
      const bucket = buckets.get(key) ?? new RateBucket(clock)
      if (!buckets.has(key) && buckets.size >= maxBuckets) letGo(buckets)
      buckets.set(key, bucket)
      return bucket
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
