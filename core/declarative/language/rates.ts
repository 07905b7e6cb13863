import type { RateLimit } from '../../plugin/index.ts'

/** `50/week`: requests, and the time that they are counted in. */
const ratePattern = '^[1-9][0-9]{0,4}/(?:[1-9][0-9]{0,2})?(?:s|min|h|day|week)$'

const units: Readonly<Record<string, number>> = {
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
}

/** Most requests of a limit. */
const maxRequests = 10_000

/**
 * A limit as it is written; undefined for anything else.
 *
 * @example parseRate('4/10s') // { requests: 4, perMs: 10_000 }
 */
export function parseRate(text: string): RateLimit | undefined {
  const [, requests, times, unit] = new RegExp(ratePattern).test(text)
    ? (/^(\d+)\/(\d*)([a-z]+)$/.exec(text) ?? [])
    : []
  if (unit === undefined || Number(requests) > maxRequests) return undefined
  return { requests: Number(requests), perMs: Number(times === '' ? 1 : times) * units[unit]! }
}

/** Limits as they are written, or as an expression gives them; null or nothing: none. */
export function parseRates(value: unknown): readonly RateLimit[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  return given.flatMap((one) => {
    if (one === null || one === undefined) return []
    const limit = typeof one === 'string' ? parseRate(one) : undefined
    if (limit === undefined) throw new Error(`the rate ${JSON.stringify(one)} is not like 50/week`)
    return [limit]
  })
}
