import { isDeepStrictEqual } from 'node:util'
import type { JournalEntry, Run } from '../domain/run.ts'
import { playbookPath } from '../engine/journal/paths.ts'
import { TimeSlice } from '../common/time-slice.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { OldJournal } from './journal.ts'
import type { CarriedStep } from './plan.ts'
import type { Comparison } from './comparison.ts'
import type { Ending, ComparisonWalk } from './ending.ts'
import { walkAction, walkAllTimes, walkSteps } from './walk.ts'

/** A playbook with the playbooks that it calls. */
export interface PlaybookWithCalls {
  readonly playbook: Playbook
  readonly inputs: Readonly<Record<string, unknown>>
  /** The called playbooks, by name. */
  readonly called: ReadonlyMap<string, Playbook>
}

/**
 * The journal entries that a retry carries over from an ended run: finished steps that are unchanged in the
 * new playbook, inside unchanged groups, and that read nothing that runs again. Not carried over: unhandled
 * failures, steps cut off by a cancellation or a timeout, and steps that ran because of these.
 */
export async function carryOver(
  run: Pick<Run, 'error'>,
  entries: readonly JournalEntry[],
  before: PlaybookWithCalls,
  after: PlaybookWithCalls,
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

async function inTurns(walk: ComparisonWalk): Promise<Ending> {
  const turn = new TimeSlice()
  for (;;) {
    const { done, value } = walk.next()
    if (done === true) return value
    if (turn.isLong) await turn.yieldToOthers()
  }
}

function changedInputs(
  before: PlaybookWithCalls['inputs'],
  after: PlaybookWithCalls['inputs'],
): ReadonlySet<string> {
  const names = [...Object.keys(before), ...Object.keys(after)]
  return new Set(names.filter((name) => !isDeepStrictEqual(before[name], after[name])))
}
