/** Durations are counted in buckets, each 10 % wider than the one before, so that percentiles of any period need no single duration. */
const base = 1.1
/** Durations up to a second share the first bucket. */
const leastMs = 1_000

export function bucketOf(ms: number): number {
  return ms <= leastMs ? 0 : Math.ceil(Math.log(ms / leastMs) / Math.log(base))
}

/** The middle of a bucket: at most 5 % away from each of its durations, except in the first one. */
const msOf = (bucket: number): number =>
  bucket === 0 ? leastMs : Math.round(leastMs * base ** (bucket - 0.5))

export interface CountedDurations {
  readonly bucket: number
  readonly count: number
  /** Sum of the durations, in milliseconds. */
  readonly totalMs: number
}

/** Durations in milliseconds. The mean is exact, percentiles are at most 5 % off; null without any. */
export interface Durations {
  readonly count: number
  readonly meanMs: number | null
  readonly p50Ms: number | null
  readonly p90Ms: number | null
  readonly p95Ms: number | null
}

export function durationsOf(counted: readonly CountedDurations[]): Durations {
  const count = counted.reduce((sum, each) => sum + each.count, 0)
  const totalMs = counted.reduce((sum, each) => sum + each.totalMs, 0)
  const buckets = counted.toSorted((a, b) => a.bucket - b.bucket)
  return {
    count,
    meanMs: count === 0 ? null : Math.round(totalMs / count),
    p50Ms: percentile(buckets, count, 0.5),
    p90Ms: percentile(buckets, count, 0.9),
    p95Ms: percentile(buckets, count, 0.95),
  }
}

/** The smallest duration that this share of all does not exceed. */
function percentile(buckets: readonly CountedDurations[], count: number, share: number): number | null {
  let seen = 0
  for (const { bucket, count: here } of buckets) {
    seen += here
    if (seen >= share * count) return msOf(bucket)
  }
  return null
}
