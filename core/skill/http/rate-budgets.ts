import type { Clock } from '../../ports/clock.ts'
import { RateBucket } from './rate-bucket.ts'

/** The rate budgets of all connections of a process. */
export interface RateBudgets {
  /** The same one for the same connection and name. */
  bucket(connectionUuid: string, name: string): RateBucket
}

/** Beyond this, buckets that are not in use are let go. */
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

/** Those that have nothing to remember; if there are none, the oldest that nobody waits for. */
function letGo(buckets: Map<string, RateBucket>): void {
  for (const [key, bucket] of buckets) if (bucket.isIdle()) buckets.delete(key)
  if (buckets.size < maxBuckets) return
  for (const [key, bucket] of buckets) {
    if (bucket.isWaitedFor) continue
    buckets.delete(key)
    return
  }
}
