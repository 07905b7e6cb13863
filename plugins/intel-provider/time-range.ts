import { SkillError } from 'tocsin/plugin'

const relative = /^-(\d{1,6})([smhdwMy])$/
const absolute = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

const dayMs = 86_400_000
/** The shortest and the longest that a unit can be. */
const unitMs: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['s', [1000, 1000]],
  ['m', [60_000, 60_000]],
  ['h', [3_600_000, 3_600_000]],
  ['d', [dayMs, dayMs]],
  ['w', [7 * dayMs, 7 * dayMs]],
  ['M', [28 * dayMs, 31 * dayMs]],
  ['y', [365 * dayMs, 366 * dayMs]],
])

const anyHint = 'write a time with its zone, e.g. 2026-01-12T08:00:00Z, or one relative to now, e.g. -24h'
const absoluteHint = 'write a time with its zone, e.g. 2026-01-12T08:00:00Z'

/**
 * A range as `/alert/v3` takes it, `[<from>,<to>]`; either end may be open, and both may be relative to now. Both ends get the same
 * precision, which the provider demands. `undefined` where both are absent. Throws SkillError `invalid_time`.
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
 * A range as the search of playbook alerts takes it: absolute times in UTC, either may be absent. `undefined` where both are. Throws
 * SkillError `invalid_time`.
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

/** Whether the calendar has the day; `Date.parse` takes the 30th of February for a day of March. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** Both written in the same way. */
function isAfter(start: string, end: string): boolean {
  const begins = agoMs(start)
  const ends = agoMs(end)
  if (begins !== undefined) return ends !== undefined && begins.most < ends.least
  return end !== '' && start > end
}

/** How long ago a relative time is, at least and at most: months and years differ in length. */
function agoMs(text: string): { readonly least: number; readonly most: number } | undefined {
  const [, count, unit = ''] = relative.exec(text) ?? []
  const [least, most] = unitMs.get(unit) ?? []
  if (least === undefined || most === undefined) return undefined
  return { least: Number(count) * least, most: Number(count) * most }
}

function inverted(from: string | undefined, to: string | undefined): SkillError {
  return new SkillError('invalid_time', `the range ends before it begins: '${from}' to '${to}'`, {
    hint: 'swap the two ends',
  })
}
