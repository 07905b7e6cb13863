import { actionOf } from '../../case/actions.ts'
import {
  containmentAfterUndo,
  hasSameTarget,
  makesContainment,
  mayBeSameConnection,
  type ContainmentState,
  type DestructiveOutcome,
} from '../../destructive/containment.ts'
import { judgeExpiry } from '../../destructive/undo-condition.ts'
import type { Case, CaseAction } from '../../domain/case.ts'
import type { JournalEntry } from '../../domain/run.ts'
import { writeDuration } from '../../playbook/language/durations.ts'

/** A destructive call that ended. */
export interface EndedCall {
  readonly entry: JournalEntry
  readonly call: DestructiveOutcome
  readonly changedNothing: boolean
}

/** A containment that a run leaves, in the form of `expect.containments`. */
export interface MadeContainment {
  readonly step: string
  readonly skill: string
  /** How long after the call it expires, such as `4h`; null: only people undo it. */
  readonly expires: string | null
  /** What happens then, with the case as the run leaves it; null: it does not expire. */
  readonly at_expiry: 'undone' | 'kept' | 'overdue' | null
}

interface Made {
  readonly ended: EndedCall
  readonly action: CaseAction
  readonly state: ContainmentState
}

/**
 * The containments that the calls of a run make and do not undo themselves, in order.
 *
 * @param found the case as the run leaves it
 * @param nameOf the name of the step at a path
 */
export function containmentsMade(
  calls: readonly EndedCall[],
  found: Case | undefined,
  nameOf: (path: string) => string,
): readonly MadeContainment[] {
  const run = { uuid: '', playbookName: '' }
  let made: readonly Made[] = []
  for (const ended of calls) {
    const { entry, call, changedNothing } = ended
    const action = actionOf({ run, entry, changedNothing, answered: [] }, 0)
    made = made.map((one) => ({ ...one, state: stateAfter(one, ended, action) }))
    if (call.contains === undefined || !makesContainment(action.outcome)) continue
    made = [...made.filter((one) => one.action.path !== action.path), { ended, action, state: 'active' }]
  }
  return made
    .filter(({ state }) => state === 'active')
    .map(({ ended, action }) => ({
      step: withItem(nameOf(action.path), action.path),
      skill: action.skill,
      ...endOf(ended, action, found),
    }))
}

/** The name of a step with its item, as in `links[0]`. */
const withItem = (name: string, path: string): string =>
  name === path ? path : name + (/(?:\[\d+\]|#\d+)+$/.exec(path)?.[0] ?? '')

function stateAfter(
  { ended, state }: Made,
  { entry, call }: EndedCall,
  action: CaseAction,
): ContainmentState {
  const { contains, connection } = { ...ended.call, contains: ended.call.contains! }
  const isUndo =
    contains.skill === action.skill &&
    mayBeSameConnection(connection, call.connection) &&
    hasSameTarget(contains.input, entry.input)
  return isUndo ? containmentAfterUndo(state, action.outcome, call) : state
}

function endOf(
  { entry, call: { connection, contains, expiry } }: EndedCall,
  action: CaseAction,
  found: Case | undefined,
): Pick<MadeContainment, 'expires' | 'at_expiry'> {
  if (contains === undefined || expiry === undefined) return { expires: null, at_expiry: null }
  const createdAt = entry.endedAt ?? entry.startedAt
  const { skill: undoneBy, input } = contains
  const { afterMs, unless = null } = expiry
  const one = { unless, connection, action, undoneBy, hasUndo: input !== undefined, createdAt }
  const outcome = judgeExpiry(one, found, createdAt + afterMs)
  return { expires: writeDuration(afterMs), at_expiry: outcome === 'undo' ? 'undone' : outcome.kind }
}
