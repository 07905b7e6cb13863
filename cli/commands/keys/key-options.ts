import { InvalidArgumentError } from 'commander'
import type { ApiKey } from '../../../core/domain/api-key.ts'
import { parseTrustedProxies } from '../../../server/http/server/trusted-proxies.ts'

const dayMs = 86_400_000

/** In UTC: 2026-03-01. */
export const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** `valid until 2027-03-01`. */
export const validityOf = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>): string =>
  expiresAt === null ? 'valid until revoked' : `valid until ${day(expiresAt)}`

/** When a key ends: in epoch milliseconds, or `never`, because Commander has no options that are null. */
export type GivenEnd = number | 'never'

/** In epoch milliseconds; null: never. */
export const endMs = (end: GivenEnd): number | null => (end === 'never' ? null : end)

/** Reads `never`, or a day (UTC) after today. */
export function endOfKey(text: string): GivenEnd {
  if (text === 'never') return text
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN
  if (at > Date.now() && at < Date.now() + 3_650 * dayMs && day(at) === text) return at
  throw new InvalidArgumentError('It must be never, or a day after today and within 10 years: 2027-03-01.')
}

/** When a key ends, after a number of days. */
export function endAfterDays(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 3_650)
    return Date.now() + Number(text) * dayMs
  throw new InvalidArgumentError('It must be a whole number from 1 to 3650.')
}

/** Adds an address or a range to those before it. */
export function addressRanges(text: string, before: readonly string[] | undefined): readonly string[] {
  try {
    parseTrustedProxies([text])
  } catch {
    throw new InvalidArgumentError('It must be an IP address or a range, such as 10.1.0.0/16.')
  }
  return [...(before ?? []), text]
}
