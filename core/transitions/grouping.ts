import { alertStatus, type AlertStatus } from '../domain/alert.ts'
import type { AlertGroup, NewGroup } from '../domain/alert-group.ts'
import { theServer } from '../domain/audit.ts'
import type { CaseStatus } from '../plugin/index.ts'
import { timelineEntry, type NewCaseEntry } from './timeline.ts'

/** The author of grouping in timelines. */
export const groupingActor = { ...theServer, name: 'grouping of repeats' }

/** A group with the same fingerprint, and the state of its first alert. */
export interface GroupState extends Pick<AlertGroup, 'beginsAt' | 'endsAt'> {
  readonly caseStatus: CaseStatus | null
  readonly firstStatus: AlertStatus
}

/**
 * By how much the clocks of nodes may differ, in milliseconds. Also covers the time for which a write waits for that of another node after it
 * has read its clock.
 */
const maxClockSkewMs = 60_000

/** Whether a stored time is further in the future than clocks differ: then the clock was set back. */
export const isFromFuture = (at: number, now: number): boolean => at > now + maxClockSkewMs

/**
 * `begin`: the alert begins a new group; `join`: it repeats the first alert; `take_over`: it repeats one whose investigation failed,
 * and is investigated in its place.
 *
 * A group from the future is ignored: the clock was set back, and the group might hide alerts for a long time. A difference between the
 * clocks of nodes is no reason.
 */
export function groupingOf(group: GroupState | undefined, now: number): 'begin' | 'join' | 'take_over' {
  if (group === undefined || isFromFuture(group.beginsAt, now) || group.endsAt <= now) return 'begin'
  if (group.caseStatus === 'closed') return 'begin'
  return group.firstStatus === alertStatus.failed ? 'take_over' : 'join'
}

export const newGroup = ({ windowMs }: Pick<NewGroup, 'windowMs'>, now: number) => ({
  size: 1,
  beginsAt: now,
  endsAt: now + windowMs,
  lastAt: now,
})

/** Number of repeats that each get a timeline entry; later, only every power of ten gets one. */
const namedRepeats = 10

/** The timeline entry of a repeat; undefined when the timeline does not name it. */
export function repeatEntry(
  repeat: { readonly alertId: string; readonly size: number; readonly reason: string },
  first: { readonly id: string; readonly status: AlertStatus },
  at: number,
): NewCaseEntry | undefined {
  const repeats = repeat.size - 1
  if (repeats > namedRepeats && !/^10+$/.test(String(repeats))) return undefined
  const groupedWith =
    first.status === alertStatus.failed ? `${first.id} (whose investigation failed)` : first.id
  const count = repeats > 1 ? ` ${repeats} repeats so far.` : ''
  const text = `Alert ${repeat.alertId} was grouped with ${groupedWith} because ${repeat.reason}.${count}`
  return timelineEntry('alert', text, groupingActor, at)
}
