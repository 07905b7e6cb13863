import { timestampIn } from '../../expression/index.ts'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Longest duration in a playbook: 366 days. */
export const maxDurationMs = 366 * 86_400_000

/** The hint with the format of durations. */
export const durationHint = 'write it like 500ms, 30s, 5m, 2h, 1d or 1h30m'

/** Units in other spellings. */
const spelt: readonly (readonly [RegExp, string])[] = [
  [/^(?:ms|millis|milliseconds?)$/i, 'ms'],
  [/^(?:s|secs?|seconds?)$/i, 's'],
  [/^(?:m|mins?|minutes?)$/i, 'm'],
  [/^(?:h|hrs?|hours?)$/i, 'h'],
  [/^(?:d|days?)$/i, 'd'],
]

/** The supported subset of ISO 8601 durations, such as `PT1H30M`. */
const iso = /^P(?:\d{1,9}D)?(?:T(?=\d)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?$/

/**
 * Suggests a duration for `5 minutes`, `2 weeks`, `PT5M` or a number of seconds; else explains the format.
 */
export function hintForDuration(written: string | number): string {
  const meant = meantDuration(String(written).trim())
  const ms = meant === undefined ? undefined : millisecondsOf(meant)
  if (ms === undefined || ms === 0) return durationHint
  return ms > maxDurationMs ? `write ${writeDuration(maxDurationMs)} or less` : `did you mean ${meant}?`
}

/** The intended duration, of any length. */
function meantDuration(written: string): string | undefined {
  if (iso.test(written)) return written.replaceAll(/[PT]/g, '').toLowerCase()
  if (pattern.test(written)) return written
  const [, amount, unit = 's'] = /^(\d{1,9})\s*([A-Za-z]+)?$/.exec(written) ?? []
  if (amount === undefined) return undefined
  if (/^w(?:eeks?)?$/i.test(unit)) return `${Number(amount) * 7}d`
  const known = spelt.find(([words]) => words.test(unit))?.[1]
  return known && `${Number(amount)}${known}`
}

export const durationPattern = '^(?:\\d{1,9}d)?(?:\\d{1,9}h)?(?:\\d{1,9}m)?(?:\\d{1,9}s)?(?:\\d{1,9}ms)?$'
const pattern = new RegExp(durationPattern)

/**
 * Milliseconds of `30s`, `1h30m`, `500ms`; larger units come first. Undefined for anything else.
 *
 * @example parseDurationMs('1h30m') // 5_400_000
 */
export function parseDurationMs(text: string): number | undefined {
  const total = millisecondsOf(text)
  return total === undefined || total > maxDurationMs ? undefined : total
}

function millisecondsOf(text: string): number | undefined {
  if (text === '' || !pattern.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[dhms])/g)) total += Number(amount) * units[unit!]!
  return total
}

/**
 * Formats a duration as in a playbook: `1h30m`.
 *
 * @example writeDuration(5_400_000) // '1h30m'
 */
export function writeDuration(durationMs: number): string {
  let rest = Math.round(durationMs)
  let text = ''
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const amount = Math.floor(rest / units[unit]!)
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * units[unit]!
  }
  return text === '' ? '0s' : text
}

/** The hint with the format of times. */
export const timeHint = 'write a time such as 2026-03-01T08:00:00Z'

/** Epoch milliseconds of an RFC 3339 time with zone; without a zone it would depend on the machine. */
export function parseTimeMs(text: string): number | undefined {
  const found = timestampIn(text)
  return found && found.seconds * 1000 + Math.floor(found.nanos / 1e6)
}

/** Epoch milliseconds of a nonexistent day such as 30 February, which rolls over into the next month. */
export function parseOverlongTimeMs(text: string): number | undefined {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : NaN
  return Number.isFinite(ms) ? ms : undefined
}
