import { SkillError } from 'tocsin/plugin'

const relative = /^-(\d{1,6})([smhdwMy])$/
const absolute = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

const dayMs = 86_400_000
/** Minimum and maximum length of a unit. */
const unitMs: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['s', [1000, 1000]],
  ['m', [60_000, 60_000]],
  ['h', [3_600_000, 3_600_000]],
  ['d', [dayMs, dayMs]],
  ['w', [7 * dayMs, 7 * dayMs]],
  ['M', [28 * dayMs, 31 * dayMs]],
  ['y', [365 * dayMs, 366 * dayMs]],
])

const anyHint = 'write a time with a time zone, e.g. 2026-01-12T08:00:00Z, or relative to now, e.g. -24h'
const absoluteHint = 'write a time with a time zone, e.g. 2026-01-12T08:00:00Z'

/**
 * A range in the format of `/alert/v3`, `[<from>,<to>]`; either end may be open, both may be relative. Both
 * ends get the same precision, as the provider requires. `undefined` if both are absent. Throws SkillError
 * `invalid_time`.
 */
export function timeRange(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined && to === undefined) return undefined
  const [start = '', end = ''] = [from, to].map((text) =>
    text === undefined || relative.test(text) ? text : absoluteTime(text, anyHint),
  )
  if (start !== '' && end !== '' && relative.test(start) !== relative.test(end)) {
    throw new SkillError('invalid_time', `'${from}' and '${to}' cannot be mixed`, {
      hint: 'write both ends as times, or both relative to now',
    })
  }
  if (isAfter(start, end)) throw inverted(from, to)
  return `[${start},${end}]`
}

/**
 * A range for the search of playbook alerts: absolute UTC times, either may be absent. `undefined` if both
 * are. Throws SkillError `invalid_time`.
 */
export function absoluteRange(
  from: string | undefined,
  until: string | undefined,
): { readonly from: string | undefined; readonly until: string | undefined } | undefined {
  if (from === undefined && until === undefined) return undefined
  const start = from === undefined ? undefined : absoluteTime(from, absoluteHint)
  const end = until === undefined ? undefined : absoluteTime(until, absoluteHint)
  if (isAfter(start ?? '', end ?? '')) throw inverted(from, until)
  return { from: start, until: end }
}

/** In UTC with milliseconds. Throws SkillError `invalid_time`. */
function absoluteTime(text: string, hint: string): string {
  const day = absolute.exec(text)?.[1]
  const time = day === undefined || !isDay(day) ? Number.NaN : Date.parse(text)
  if (Number.isNaN(time)) {
    throw new SkillError('invalid_time', `'${text.slice(0, 60)}' is not a time`, { hint })
  }
  return new Date(time).toISOString()
}

/** Whether the day exists; `Date.parse` turns 30 February into a day of March. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** Whether both have the same format. */
function isAfter(start: string, end: string): boolean {
  const begins = agoMs(start)
  const ends = agoMs(end)
  if (begins !== undefined) return ends !== undefined && begins.most < ends.least
  return end !== '' && start > end
}

/** Minimum and maximum age of a relative time: months and years vary in length. */
function agoMs(text: string): { readonly least: number; readonly most: number } | undefined {
  const [, count, unit = ''] = relative.exec(text) ?? []
  const [least, most] = unitMs.get(unit) ?? []
  if (least === undefined || most === undefined) return undefined
  return { least: Number(count) * least, most: Number(count) * most }
}

function inverted(from: string | undefined, to: string | undefined): SkillError {
  return new SkillError('invalid_time', `the range ends before it starts: '${from}' to '${to}'`, {
    hint: 'swap the two ends',
  })
}
