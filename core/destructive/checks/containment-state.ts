import { theServer, type Actor } from '../../domain/audit.ts'
import type { Containment, ContainmentState } from '../containment.ts'
import type { ContainingCall, EndedBy, StateCheck, StateChecks } from './state-checks.ts'

/** Checks of a containment and what it depends on; see `afterCheck`. */
export interface CheckedStanding extends StateChecks {
  readonly state: ContainmentState
  readonly changedAt: number
  /** Whether any check since the action said that it is in effect. */
  readonly wasContained: boolean
}

/** A containment whose state is to be read. */
export interface DueCheck {
  readonly containment: Containment
  readonly call: ContainingCall
  /** Whether `call` contains sensitive values. */
  readonly isSensitive: boolean
}

/** States in which the state is read. While a run undoes a containment, an answer would soon be wrong. */
export const checkedStates: readonly ContainmentState[] = ['active', 'failed', 'unknown', 'overdue']

/** Time after a change before the state is read: other systems show changes late. */
export const settleMs = 60_000

/** Least time between the two checks that a conclusion needs. */
export const confirmMs = 60_000

/** The next check of a new containment. */
export const firstCheckAt = (now: number): number => now + settleMs

/** Characters of a message of another system. */
const maxMessage = 500

export interface CheckOutcome extends StateChecks {
  readonly wasContained: boolean
  readonly state: ContainmentState
  /** Undefined: it did not end. */
  readonly endedBy?: EndedBy
  /** The next check; null: none. */
  readonly checkAt: number | null
}

/**
 * The fields of a containment after a check. A containment ends only if a check had said that it is in effect, and then two checks
 * say that it is not, a minute or more apart: an action that was accepted may take effect later, and other systems answer with
 * old values for a while. In the same way, two checks tell that a call with unknown outcome did not undo it. A failed check
 * changes nothing.
 */
export function afterCheck(
  known: CheckedStanding,
  check: StateCheck,
  { now, periodMs }: { readonly now: number; readonly periodMs: number },
): CheckOutcome {
  const { state, stateSeen, seenSince, wasContained } = known
  const later = now + periodMs
  if ('error' in check) {
    const { code, message } = check.error
    const stateError = { code, message: message.slice(0, maxMessage).toWellFormed() }
    return { state, stateSeen, seenSince, wasContained, stateCheckedAt: now, stateError, checkAt: later }
  }
  const { seen, startedAt } = check
  const isSame = stateSeen === seen && seenSince !== null && seenSince >= known.changedAt
  const since = isSame ? seenSince : startedAt
  const checks = {
    stateSeen: seen,
    seenSince: since,
    stateCheckedAt: now,
    stateError: null,
    wasContained: wasContained || seen === 'contained',
  }
  const concludes = (seen === 'released' && wasContained) || (seen === 'contained' && state === 'unknown')
  if (!concludes) return { ...checks, state, checkAt: later }
  if (startedAt - since < confirmMs) return { ...checks, state, checkAt: Math.min(later, now + confirmMs) }
  if (seen === 'contained') return { ...checks, state: 'active', checkAt: later }
  return { ...checks, state: 'undone', endedBy: state === 'unknown' ? 'unknown' : 'outside', checkAt: null }
}

/** Whether a check may count: the containment is as it was when the check began, and had settled by then. */
export const mayCount = (known: Pick<CheckedStanding, 'state' | 'changedAt'>, startedAt: number): boolean =>
  checkedStates.includes(known.state) && startedAt >= known.changedAt + settleMs

/** Reads the state of containments. */
export const theCheck: Actor = { ...theServer, name: 'containment check' }
