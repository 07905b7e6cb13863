const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Longest duration in a playbook: 366 days. */
export const maxDurationMs = 366 * 86_400_000

/** How durations are written, for hints. */
export const durationHint = 'write it like 500ms, 30s, 5m, 2h, 1d or 1h30m'

/** Units as people write them. */
const spelt: readonly (readonly [RegExp, string])[] = [
  [/^(?:ms|millis|milliseconds?)$/i, 'ms'],
  [/^(?:s|secs?|seconds?)$/i, 's'],
  [/^(?:m|mins?|minutes?)$/i, 'm'],
  [/^(?:h|hrs?|hours?)$/i, 'h'],
  [/^(?:d|days?)$/i, 'd'],
]

/** `PT1H30M`: of ISO 8601, what playbooks can say. */
const iso = /^P(?:\d{1,9}D)?(?:T(?=\d)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?$/

/** What was meant by `5 minutes`, `2 weeks`, `PT5M`, or a number of seconds; else how durations are written. */
export function hintForDuration(written: string | number): string {
  const meant = meantDuration(String(written).trim())
  const ms = meant === undefined ? undefined : millisecondsOf(meant)
  if (ms === undefined || ms === 0) return durationHint
  return ms > maxDurationMs ? `write ${writeDuration(maxDurationMs)} or less` : `did you mean ${meant}?`
}

/** The words as a duration, however long. */
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
 * Milliseconds of `30s`, `1h30m`, `500ms`; the larger unit comes first. Undefined for anything else.
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
 * The duration as it is written in a playbook: `1h30m`.
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
