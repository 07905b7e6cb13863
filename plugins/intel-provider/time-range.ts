import { SkillError } from 'tocsin/plugin'

const relative = /^-\d{1,6}[smhdwMy]$/
const absolute = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * A range as the provider writes it, `[<from>,<to>]`; either end may be open. Both ends get the same precision, which the
 * provider demands. `undefined` where both are absent. Throws SkillError `invalid_time`.
 */
export function timeRange(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined && to === undefined) return undefined
  const ends = [from, to].map((text) => (text === undefined ? '' : timeText(text)))
  const [start = '', end = ''] = ends
  if (isAbsolute(start) && isAbsolute(end) && start > end) {
    throw new SkillError('invalid_time', `the range ends before it begins: '${from}' to '${to}'`)
  }
  if (start !== '' && end !== '' && isAbsolute(start) !== isAbsolute(end)) {
    throw new SkillError('invalid_time', `'${from}' and '${to}' cannot be mixed`, {
      hint: 'write both ends as times, or both relative to now',
    })
  }
  return `[${start},${end}]`
}

const isAbsolute = (text: string): boolean => text.endsWith('Z')

/** An absolute time in UTC with milliseconds; a relative one as it is. Throws SkillError `invalid_time`. */
export function timeText(text: string): string {
  if (relative.test(text)) return text
  const time = absolute.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) {
    throw new SkillError('invalid_time', `'${text.slice(0, 60)}' is not a time`, {
      hint: 'write a time with its zone, e.g. 2026-01-12T08:00:00Z, or one relative to now, e.g. -24h',
    })
  }
  return new Date(time).toISOString()
}
