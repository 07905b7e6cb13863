import { theServer } from '../../domain/audit.ts'
import type { CorrelationKey } from '../../correlation/correlation.ts'
import type { CaseStatus } from '../../plugin/index.ts'
import { isFromFuture } from '../grouping.ts'
import { timelineEntry, type NewCaseEntry } from '../timeline.ts'

/** The author of joins in timelines. */
const correlationActor = { ...theServer, name: 'correlation' }

/** The state of a key: the case that alerts with it join. */
export interface KeyState {
  /** When the last alert with the key arrived, in epoch milliseconds. */
  readonly lastAt: number
  readonly endsAt: number
  readonly caseId: string
  readonly caseStatus: CaseStatus
  /** Alerts that joined the case after its first. */
  readonly joined: number
}

/**
 * `join`: alerts with the key join its case; `closed` and `full`: its case takes no more alerts; `none`: no earlier alert is recent
 * enough. The shorter window counts, of the rule now and of the rule that saw the key last. A key from the future is ignored: the
 * clock was set back. A difference between the clocks of nodes is no reason.
 */
export function matchOf(
  state: KeyState | undefined,
  { windowMs, max }: Pick<CorrelationKey, 'windowMs' | 'max'>,
  now: number,
): 'join' | 'closed' | 'full' | 'none' {
  if (state === undefined || isFromFuture(state.lastAt, now) || state.endsAt <= now) return 'none'
  if (state.lastAt + windowMs <= now) return 'none'
  if (state.caseStatus === 'closed') return 'closed'
  return state.joined + 1 >= max ? 'full' : 'join'
}

/** A key of an alert, with the state of the key. */
export interface FoundKey<State extends KeyState = KeyState> {
  readonly key: CorrelationKey
  readonly state: State | undefined
}

/** The case that an alert joins: that of the first key whose case takes alerts. */
export function joinedCase<State extends KeyState>(
  keys: readonly FoundKey<State>[],
  now: number,
): { readonly state: State; readonly reason: string } | undefined {
  for (const { key, state } of keys)
    if (state !== undefined && matchOf(state, key, now) === 'join') return { state, reason: key.reason }
  return undefined
}

/** Whether later alerts with the key join the case of this alert; else they join the case that has the key already. */
export const takesKey = ({ key, state }: FoundKey, caseId: string, now: number): boolean =>
  state?.caseId === caseId || matchOf(state, key, now) !== 'join'

/** The new state of a key that an alert takes. */
export const keyAfter = (
  { windowMs }: Pick<CorrelationKey, 'windowMs'>,
  state: KeyState | undefined,
  caseId: string,
  now: number,
) => ({
  lastAt: now,
  endsAt: Math.max(state?.caseId === caseId ? state.endsAt : 0, now + windowMs),
})

/** The entries of the case that an alert joined or opened. */
export function correlationEntries(
  alertId: string,
  { caseId, reason, keys, skipped }: Correlated,
  now: number,
): readonly NewCaseEntry[] {
  const joined = reason === undefined ? [] : [`Alert ${alertId} joined this case because ${reason}.`]
  const others = keys.flatMap(({ key, state }) => {
    if (state === undefined || state.caseId === caseId) return []
    const match = matchOf(state, key, now)
    return match === 'none' ? [] : [relationText(alertId, state, match, key)]
  })
  return [...joined, ...others, ...skipped].map((text) => timelineEntry('alert', text, correlationActor, now))
}

interface Correlated {
  readonly caseId: string
  /** Undefined: the alert opened the case. */
  readonly reason: string | undefined
  readonly keys: readonly FoundKey[]
  readonly skipped: readonly string[]
}

function relationText(
  alertId: string,
  { caseId }: KeyState,
  match: 'join' | 'closed' | 'full',
  { reason, max }: CorrelationKey,
): string {
  const why = {
    join: 'an earlier rule matched another case first',
    closed: 'that case is closed',
    full: `that case has ${max} investigated alerts, the maximum of the rule`,
  }
  return `Alert ${alertId} is related to case ${caseId} because ${reason}. It did not join: ${why[match]}.`
}

/** The entry of a full case about the case that continues it. */
export const continuedEntry = (caseId: string, alertId: string, now: number): NewCaseEntry =>
  timelineEntry(
    'alert',
    `This case takes no more alerts by correlation: alert ${alertId} opened ${caseId}, and further related alerts join that case.`,
    correlationActor,
    now,
  )
