import { isTimeZone, timeZones } from '../common/time-zones.ts'
import {
  cronProblem,
  defaultTimeZone,
  hasFixedTimes,
  nextTimes,
  writeLocalTime,
} from '../trigger/schedule.ts'
import type { Node } from '../playbook/yaml/document.ts'
import type { Completion } from './completion/completion.ts'
import type { PathStep } from './inspection.ts'

const shownTimes = 3

const keysIn = (path: readonly PathStep[]): string =>
  path.map((step) => ('key' in step ? step.key : '*')).join('.')

export const isTimeZonePlace = (path: readonly PathStep[]): boolean => keysIn(path) === 'on.schedule.timezone'

/** The time zones that can be written. */
export const completeTimeZone = (): readonly Completion[] =>
  timeZones().map((name) => ({ label: name, kind: 'value' as const, rank: name === defaultTimeZone ? 0 : 1 }))

/** The next times of a schedule, as Markdown, if the path leads to its cron expression or time zone. */
export function describeSchedule(node: Node, path: readonly PathStep[], nowMs: number): string | undefined {
  const place = keysIn(path)
  const isShort = place === 'on.schedule'
  if (!isShort && place !== 'on.schedule.cron' && place !== 'on.schedule.timezone') return undefined
  const beside = path.at(-1)!.in
  const text = (name: string): string | undefined => {
    const found =
      beside.kind === 'map' ? beside.entries.find((entry) => entry.name === name)?.value : undefined
    return found?.kind === 'scalar' && typeof found.value === 'string' ? found.value : undefined
  }
  const cron = isShort && node.kind === 'scalar' ? String(node.value) : text('cron')
  const timezone = (isShort ? undefined : text('timezone')) ?? defaultTimeZone
  if (cron === undefined || cronProblem(cron) !== undefined || !isTimeZone(timezone)) return undefined
  const times = nextTimes({ cron, timezone }, nowMs, shownTimes)
  const rule = hasFixedTimes(cron)
    ? 'Each local time runs once: after the gap if the clock change skips it, and the first time if it occurs twice.'
    : 'An interval: runs whenever the local time matches.'
  return [
    `Next runs (${timezone}):`,
    times.map((at) => `- ${writeLocalTime(at, timezone)}`).join('\n'),
    ...(timezone === defaultTimeZone ? [] : [rule]),
  ].join('\n\n')
}
