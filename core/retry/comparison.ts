import type { JournalEntry } from '../domain/run.ts'
import type { Playbook, Step } from '../playbook/language/playbook.ts'
import { completeEnding, openEnding, type Ending, type ComparisonWalk } from './ending.ts'
import type { OldJournal } from './journal.ts'
import type { Thread } from './thread.ts'

/** State shared by all parts of the comparison. */
export interface Comparison {
  readonly journal: OldJournal
  /** Path of the step at which the earlier run failed. */
  readonly failedAt: string | undefined
  /** The old and new version of a called playbook. */
  readonly callee: (name: string) => { readonly old: Playbook; readonly new: Playbook } | undefined
  /** Names of the calling playbooks, the outermost first. */
  readonly callers: readonly string[]
  /** `prefix` is the path of the group that contains the steps. */
  readonly walkSteps: (comparison: Comparison, steps: Steps, prefix: string, thread: Thread) => ComparisonWalk
  /** A step without its items. */
  readonly walkAllTimes: (comparison: Comparison, pair: Pair, path: string, thread: Thread) => ComparisonWalk
  /** A step without its items and repetitions. */
  readonly walkAction: (comparison: Comparison, pair: Pair, path: string, thread: Thread) => ComparisonWalk
}

/** A step of the new playbook and its counterpart in the old one. */
export interface Pair<S extends Step = Step> {
  readonly new: S
  readonly old: S
}

export interface Steps {
  readonly new: readonly Step[]
  readonly old: readonly Step[]
}

/** The ending of a single entry. */
export function endedEntry(journal: OldJournal, entry: JournalEntry): Ending {
  const { path, state } = entry
  if (state === 'started' || state === 'unknown') {
    journal.refuse([path], 'not_ended')
    return openEnding
  }
  if (state === 'failed' && (isCancelled(entry) || isOutOfTime(entry))) {
    journal.refuse([path], isCancelled(entry) ? 'cancelled' : 'out_of_time')
    return openEnding
  }
  journal.carry(path)
  return state === 'failed' ? { flow: 'failed', undo: [path] } : completeEnding
}

const isCancelled = ({ error }: JournalEntry): boolean => error?.code === 'run_cancelled'

/** Ended by a timeout of the run or a group around it; the step's own timeout is recorded in the details. */
const isOutOfTime = ({ error }: JournalEntry): boolean =>
  error?.code === 'run_timeout' ||
  (error?.code === 'step_timeout' && error.details?.['timeout_ms'] === undefined)

/** The ending of a group with its record, given the ending of its contents. */
export function settled({ journal }: Comparison, path: string, ending: Ending): Ending {
  const entry = journal.entry(path)
  if (ending.flow === 'open') {
    journal.undo(ending.undo)
    journal.refuse([path], 'inside_runs_again')
    return openEnding
  }
  if (entry === undefined || ending.flow === 'ends') return ending
  if (entry.state === 'failed' && ending.flow === 'goes_on') {
    // Everything in it was done, but then it timed out or its result could not be computed.
    if (['step_timeout', 'run_timeout', 'run_cancelled'].includes(entry.error?.code ?? '')) {
      journal.refuse([path], 'out_of_time')
      return openEnding
    }
    journal.carry(path)
    return { flow: 'failed', undo: [path] }
  }
  journal.carry(path)
  return ending.flow === 'failed' ? { flow: 'failed', undo: [...ending.undo, path] } : ending
}
