import { Cron } from 'croner'

/** The problem of a cron expression; undefined if it is valid. Five fields, or six with seconds first. */
export function cronProblem(cron: string): string | undefined {
  // Bounded before parsing.
  if (cron.length > 200) return 'it is longer than 200 characters'
  const parts = cron.trim().split(/\s+/).length
  if (parts !== 5 && parts !== 6) return `it has ${parts} ${parts === 1 ? 'field' : 'fields'} instead of five`
  try {
    return open(cron).nextRun(new Date(0)) === null ? 'it is never due' : undefined
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, '')
  }
}

/** The next due time after `afterMs`, in UTC epoch milliseconds; undefined if there is none. */
export function nextTime(cron: string, afterMs: number): number | undefined {
  return open(cron).nextRun(new Date(afterMs))?.getTime()
}

const open = (cron: string): Cron => new Cron(cron, { timezone: 'UTC', paused: true, mode: '5-or-6-parts' })
