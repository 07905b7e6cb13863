import type { RateBudget } from '../index.ts'

/**
 * Counts calls in a sliding window, as a system with rate limits does; refused calls do not count.
 *
 * @param now Epoch milliseconds. Default: the clock's.
 * @returns counts a call against a bucket: undefined where it is allowed, otherwise the seconds to wait, as
 * `Retry-After` says them
 * @example
 * const count = countCalls() const waitS = count('search', [{ requests: 10, perMs: 60_000 }]) if (waitS !==
 * undefined) return { status: 429, headers: { 'retry-after': String(waitS) } }
 */
export function countCalls(
  now: () => number = Date.now,
): (bucket: string, limits: RateBudget['limits']) => number | undefined {
  const calls = new Map<string, readonly number[]>()
  return (bucket, limits) => {
    const at = now()
    const longest = Math.max(0, ...limits.map(({ perMs }) => perMs))
    const known = (calls.get(bucket) ?? []).filter((time) => time > at - longest)
    const waits = limits.map(({ requests, perMs }) => (known.at(-requests) ?? -Infinity) + perMs - at)
    const waitMs = Math.max(0, ...waits)
    if (waitMs > 0) return Math.ceil(waitMs / 1000)
    calls.set(bucket, [...known, at])
    return undefined
  }
}
