import { Cron } from 'croner'

/** Why a cron expression cannot be used; undefined when it can. Five fields, or six with seconds first. */
export function cronProblem(cron: string): string | undefined {
  // Bounded before it is read: what is longer is no schedule.
  if (cron.length > 200) return 'it is too long'
  const parts = cron.trim().split(/\s+/).length
  if (parts !== 5 && parts !== 6) return `it has ${parts} ${parts === 1 ? 'part' : 'parts'} and not five`
  try {
    return open(cron).nextRun(new Date(0)) === null ? 'it never comes' : undefined
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, '')
  }
}

/** The first time after `afterMs` at which the schedule is due, in UTC; undefined when there is none. Epoch milliseconds. */
export function nextTime(cron: string, afterMs: number): number | undefined {
  return open(cron).nextRun(new Date(afterMs))?.getTime()
}

const open = (cron: string): Cron => new Cron(cron, { timezone: 'UTC', paused: true, mode: '5-or-6-parts' })
