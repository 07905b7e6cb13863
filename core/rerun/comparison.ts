import type { JournalEntry } from '../domain/run.ts'
import type { Playbook, Step } from '../playbook/language/playbook.ts'
import { goesOn, open, type Ending, type Walk } from './ending.ts'
import type { OldJournal } from './journal.ts'
import type { Thread } from './thread.ts'

/** What all parts of the comparison share. */
export interface Comparison {
  readonly journal: OldJournal
  /** Path of the step at which the run before failed. */
  readonly failedAt: string | undefined
  /** A called playbook as the run before knew it, and as the new run will. */
  readonly callee: (name: string) => { readonly old: Playbook; readonly new: Playbook } | undefined
  /** Names of the playbooks around, the outermost first. */
  readonly callers: readonly string[]
  /** `prefix` is the path of what holds the steps. */
  readonly walkSteps: (comparison: Comparison, steps: Steps, prefix: string, thread: Thread) => Walk
  /** A step without its items. */
  readonly walkAllTimes: (comparison: Comparison, pair: Pair, path: string, thread: Thread) => Walk
  /** A step without its items and times. */
  readonly walkAction: (comparison: Comparison, pair: Pair, path: string, thread: Thread) => Walk
}

/** A step of the new playbook, and what stands in its place in the one before. */
export interface Pair<S extends Step = Step> {
  readonly new: S
  readonly old: S
}

export interface Steps {
  readonly new: readonly Step[]
  readonly old: readonly Step[]
}

/** An entry by itself. */
export function endedEntry(journal: OldJournal, entry: JournalEntry): Ending {
  const { path, state } = entry
  if (state === 'started' || state === 'unknown') {
    journal.refuse([path], 'not_ended')
    return open
  }
  if (state === 'failed' && (isCancelled(entry) || isOutOfTime(entry))) {
    journal.refuse([path], isCancelled(entry) ? 'cancelled' : 'out_of_time')
    return open
  }
  journal.carry(path)
  return state === 'failed' ? { flow: 'failed', undo: [path] } : goesOn
}

const isCancelled = ({ error }: JournalEntry): boolean => error?.code === 'run_cancelled'

/** Ended by the time of what is around it: the time of a try of its own stands in the details. */
const isOutOfTime = ({ error }: JournalEntry): boolean =>
  error?.code === 'run_timeout' ||
  (error?.code === 'step_timeout' && error.details?.['timeout_ms'] === undefined)

/** A group with its record, which stands where all that is inside does. */
export function settled({ journal }: Comparison, path: string, ending: Ending): Ending {
  const entry = journal.entry(path)
  if (ending.flow === 'open') {
    journal.undo(ending.undo)
    journal.refuse([path], 'inside_runs_again')
    return open
  }
  if (entry === undefined || ending.flow === 'ends') return ending
  if (entry.state === 'failed' && ending.flow === 'goes_on') {
    // Everything in it was done, and then its time was up, or what follows from it could not be computed.
    if (['step_timeout', 'run_timeout', 'run_cancelled'].includes(entry.error?.code ?? '')) {
      journal.refuse([path], 'out_of_time')
      return open
    }
    journal.carry(path)
    return { flow: 'failed', undo: [path] }
  }
  journal.carry(path)
  return ending.flow === 'failed' ? { flow: 'failed', undo: [...ending.undo, path] } : ending
}
