import { Cron } from 'croner'

/** When a schedule is due. */
export interface CronTimes {
  /** Five fields, or six with seconds first. */
  readonly cron: string
  /** IANA name. */
  readonly timezone: string
}

export const defaultTimeZone = 'UTC'

/** The problem of a cron expression; undefined if it is valid. */
export function cronProblem(cron: string): string | undefined {
  // Bounded before parsing.
  if (cron.length > 200) return 'it is longer than 200 characters'
  const parts = cron.trim().split(/\s+/).length
  if (parts !== 5 && parts !== 6) return `it has ${parts} ${parts === 1 ? 'field' : 'fields'} instead of five`
  try {
    const isDue = nextTime({ cron, timezone: defaultTimeZone }, 0) !== undefined
    return isDue ? undefined : 'it is never due'
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, '')
  }
}

/**
 * The next due time after `afterMs`, in epoch milliseconds; undefined if there is none.
 *
 * If hours, minutes and seconds have no `*` and no `/`, each local time runs once: a time that the clock change skips runs at the
 * first moment after the gap, and one that occurs twice at its first occurrence. Other schedules are intervals: they run whenever
 * the local time matches.
 */
export function nextTime({ cron, timezone }: CronTimes, afterMs: number): number | undefined {
  const options = { timezone, paused: true, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard' } as const
  return new Cron(cron, options).nextRun(new Date(afterMs))?.getTime()
}

/** Whether each local time runs once on days of a clock change; see {@link nextTime}. */
export const hasFixedTimes = (cron: string): boolean =>
  !cron
    .trim()
    .split(/\s+/)
    .slice(0, -3)
    .some((field) => /[*?/]/.test(field))

/** Up to `count` due times after `afterMs`, in epoch milliseconds. */
export function nextTimes(times: CronTimes, afterMs: number, count: number): readonly number[] {
  const found: number[] = []
  while (found.length < count) {
    const next = nextTime(times, found.at(-1) ?? afterMs)
    if (next === undefined) break
    found.push(next)
  }
  return found
}

/** A due time as the clocks of its zone show it: `2026-03-30T08:00:00+02:00`. */
export function writeLocalTime(atMs: number, timezone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(atMs)
  const local = Date.parse(`${parts.replace(' ', 'T')}Z`)
  const offset = Math.round((local - Math.floor(atMs / 1000) * 1000) / 60_000)
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${parts.replace(' ', 'T')}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
}
