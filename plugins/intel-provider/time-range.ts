import { SkillError } from 'tocsin/plugin'

const relative = /^-(\d{1,6})([smhdwMy])$/
const absolute = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

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

/** Both written in the same way. Relative ones in different units are not compared: a month has no length. */
function isAfter(start: string, end: string): boolean {
  const [, startCount, startUnit] = relative.exec(start) ?? []
  const [, endCount, endUnit] = relative.exec(end) ?? []
  if (startUnit !== undefined) return startUnit === endUnit && Number(startCount) < Number(endCount)
  return end !== '' && start > end
}

function inverted(from: string | undefined, to: string | undefined): SkillError {
  return new SkillError('invalid_time', `the range ends before it begins: '${from}' to '${to}'`, {
    hint: 'swap the two ends',
  })
}
