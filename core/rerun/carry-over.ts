import { isDeepStrictEqual } from 'node:util'
import type { JournalEntry, Run } from '../domain/run.ts'
import { playbookPath } from '../engine/journal/paths.ts'
import { HeldTurn } from '../common/held-turn.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { OldJournal } from './journal.ts'
import type { CarriedStep } from './plan.ts'
import type { Comparison } from './comparison.ts'
import type { Ending, Walk } from './ending.ts'
import { walkAction, walkAllTimes, walkSteps } from './walk.ts'

/** A playbook with those that it calls, as a run sees them. */
export interface WholePlaybook {
  readonly playbook: Playbook
  readonly inputs: Readonly<Record<string, unknown>>
  /** Those that are called, by name. */
  readonly called: ReadonlyMap<string, Playbook>
}

/**
 * What a new run takes over from the journal of one that has ended: every entry that has ended for good, at the place of a step
 * that is the same in the new playbook, inside of groups that are the same, and that reads nothing which runs again. Not: what
 * failed unhandled, what was cut off by a cancellation or by the time of a group or the run, and what was done because of that.
 */
export async function carryOver(
  run: Pick<Run, 'error'>,
  entries: readonly JournalEntry[],
  before: WholePlaybook,
  after: WholePlaybook,
): Promise<readonly CarriedStep[]> {
  const journal = await OldJournal.of(entries)
  const failedAt = run.error?.details?.['path']
  const comparison: Comparison = {
    journal,
    failedAt: typeof failedAt === 'string' ? failedAt : undefined,
    callee: (name) => {
      const [old, now] = [before.called.get(name), after.called.get(name)]
      return old && now && { old, new: now }
    },
    callers: [after.playbook.name],
    walkSteps,
    walkAllTimes,
    walkAction,
  }
  const steps = { new: after.playbook.steps, old: before.playbook.steps }
  const thread = { open: new Set<string>(), inputs: changedInputs(before.inputs, after.inputs) }
  journal.undo((await inTurns(walkSteps(comparison, steps, '', thread))).undo)
  for (const [name, { hash }] of after.called) {
    if (before.called.get(name)?.hash === hash) journal.carry(playbookPath(name))
    else journal.refuse([playbookPath(name)], 'changed', name)
  }
  return await journal.verdicts()
}

async function inTurns(walk: Walk): Promise<Ending> {
  const turn = new HeldTurn()
  for (;;) {
    const { done, value } = walk.next()
    if (done === true) return value
    if (turn.isLong) await turn.giveWay()
  }
}

function changedInputs(before: WholePlaybook['inputs'], after: WholePlaybook['inputs']): ReadonlySet<string> {
  const names = [...Object.keys(before), ...Object.keys(after)]
  return new Set(names.filter((name) => !isDeepStrictEqual(before[name], after[name])))
}
