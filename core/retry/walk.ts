import {
  approvalPath,
  askPath,
  callPath,
  choicePath,
  inside,
  itemPath,
  onErrorPath,
  outputPath,
  peoplePath,
  personPath,
  ratePath,
  remindPath,
  settlePath,
  statePath,
} from '../engine/journal/paths.ts'
import type { Step } from '../playbook/language/playbook.ts'
import { definitionText, outputText, readsForOutput, readsToDecide, readsToRun } from './definition.ts'
import { endedEntry, settled, type Comparison, type Pair, type Steps } from './comparison.ts'
import { completeEnding, openEnding, type Ending, type ComparisonWalk } from './ending.ts'
import { walkForeach, walkParallel, walkRepeat, walkSwitch, walkCall } from './groups.ts'
import type { Reason } from './plan.ts'
import { changedRead, forkThread, volatileRead, type Thread } from './thread.ts'
import { idsWithin } from '../engine/scope/scope.ts'

/**
 * Walks the new playbook over the journal of the earlier run like the interpreter, and marks the steps that
 * are carried over. A step after a repeated step is still carried over if it does not read the output of
 * the repeated step.
 */
export function* walkSteps(
  comparison: Comparison,
  steps: Steps,
  prefix: string,
  thread: Thread,
): ComparisonWalk {
  const { journal } = comparison
  const before = new Map(steps.old.map((step) => [step.key, step]))
  let at = thread
  let isOpen = false
  let end: Ending | undefined
  for (const step of steps.new) {
    const path = inside(prefix, step.key)
    const ending = yield* walkStep(comparison, step, before.get(step.key), path, at)
    before.delete(step.key)
    if (ending.flow === 'goes_on') continue
    if (ending.flow !== 'open' && !isOpen && end === undefined) {
      // If nothing handles the failure, the step runs again, and later steps of the new playbook may already
      // be done.
      end = ending
      at = forkThread(at)
      for (const id of idsWithin(step)) at.open.add(id)
      continue
    }
    journal.undo(ending.undo)
    isOpen = true
  }
  for (const key of before.keys()) journal.refuse(journal.within(inside(prefix, key)), 'gone')
  if (end !== undefined) return end
  return isOpen ? openEnding : completeEnding
}

function* walkStep(
  comparison: Comparison,
  step: Step,
  old: Step | undefined,
  path: string,
  thread: Thread,
): ComparisonWalk {
  const { journal } = comparison
  const ending = yield* walkKnown(comparison, step, old, path, thread)
  const isHandled = ending.flow === 'failed' && step.onError !== 'fail'
  const handled = isHandled ? yield* handleFailure(comparison, step, old, path, thread) : ending
  // The step failed although everything in it was carried over, e.g. in its default.
  const isFailure = path === comparison.failedAt && handled.flow === 'goes_on'
  const result = isFailure ? openEnding : handled
  if (result.flow === 'open') {
    journal.undo([path, ...ending.undo, ...journal.within(onErrorPath(path))])
    if (step.id !== null) thread.open.add(step.id)
  } else if (step.id !== null) thread.open.delete(step.id)
  return result
}

function* walkKnown(
  comparison: Comparison,
  step: Step,
  old: Step | undefined,
  path: string,
  thread: Thread,
): ComparisonWalk {
  const { journal } = comparison
  const runsAgain = (reason: Reason, detail?: string) => {
    journal.refuse(journal.within(path), reason, detail)
    for (const id of idsWithin(step)) thread.open.add(id)
    return openEnding
  }
  if (old === undefined) return runsAgain('changed')
  if (definitionText(step) !== definitionText(old)) return runsAgain('changed', path)
  const changed = changedRead(thread, readsToRun(step))
  if (changed !== undefined) return runsAgain('reads_changed', changed)
  // A single step's result is recorded, regardless of its condition now; the steps inside a group depend on
  // the condition.
  const volatile = holdsOthers(step) ? volatileRead(readsToDecide(step)) : undefined
  if (volatile !== undefined) return runsAgain('reads_run', volatile)

  // It sees the same state as before, unless it runs again as a whole.
  journal.carry(statePath(path))
  const entry = journal.entry(path)
  if (entry?.state === 'skipped') return carried(comparison, path)
  if (entry?.state === 'failed' && holdsOthers(step) && !journal.hasInside(path))
    return endedEntry(journal, entry)
  const pair = { new: step, old } as Pair
  return step.foreach === undefined
    ? yield* walkAllTimes(comparison, pair, path, thread)
    : yield* walkForeach(comparison, pair, path, thread)
}

const holdsOthers = (step: Step): boolean =>
  step.foreach !== undefined ||
  step.repeat !== undefined ||
  ['steps', 'parallel', 'switch', 'call'].includes(step.action)

export function* walkAllTimes(
  comparison: Comparison,
  pair: Pair,
  path: string,
  thread: Thread,
): ComparisonWalk {
  return pair.new.repeat === undefined
    ? yield* walkAction(comparison, pair, path, thread)
    : yield* walkRepeat(comparison, pair, path, thread)
}

export function* walkAction(
  comparison: Comparison,
  pair: Pair,
  path: string,
  thread: Thread,
): ComparisonWalk {
  const { journal } = comparison
  const ending = yield* walkStarted(comparison, pair, path, thread)
  for (const wait of journal.within(ratePath(path))) {
    const state = journal.entry(wait)?.state
    if (ending.flow !== 'open' && state === 'completed') journal.carry(wait)
    else journal.refuse([wait], state === 'failed' ? 'failed' : 'inside_runs_again')
  }
  return ending
}

function* walkStarted(comparison: Comparison, pair: Pair, path: string, thread: Thread): ComparisonWalk {
  const { new: step, old } = pair
  comparison.journal.carry(statePath(path))
  switch (step.action) {
    case 'steps': {
      const steps = { new: step.steps, old: (old as typeof step).steps }
      return resulting(comparison, pair, path, thread, yield* walkSteps(comparison, steps, path, thread))
    }
    case 'parallel': {
      const branches = { new: step, old: old as typeof step }
      return resulting(
        comparison,
        pair,
        path,
        thread,
        yield* walkParallel(comparison, branches, path, thread),
      )
    }
    case 'switch': {
      const cases = { new: step, old: old as typeof step }
      return resulting(comparison, pair, path, thread, yield* walkSwitch(comparison, cases, path, thread))
    }
    case 'call':
      return settled(comparison, path, yield* walkCall(comparison, step, path))
    default:
      return walkLeaf(comparison, step, path)
  }
}

/** The ending of a group: its output is computed again if it is computed differently or from other data. */
function resulting(
  comparison: Comparison,
  { new: step, old }: Pair,
  path: string,
  thread: Thread,
  ending: Ending,
): Ending {
  const changed = outputText(step) === outputText(old) ? changedRead(thread, readsForOutput(step)) : path
  if (changed === undefined || ending.flow !== 'goes_on') return settled(comparison, path, ending)
  comparison.journal.refuse([path], changed === path ? 'changed' : 'reads_changed', changed)
  return openEnding
}

function walkLeaf({ journal }: Comparison, { action }: Step, path: string): Ending {
  const entry = journal.entry(path)
  const calls = callPath(path)
  const followUps = [
    ...[askPath, remindPath, settlePath, approvalPath, choicePath, outputPath, statePath].map((pathOf) =>
      pathOf(path),
    ),
    ...journal.items(approvalPath(path)).map((number) => approvalPath(path, number)),
    ...journal.items(calls).map((index) => itemPath(calls, index)),
    peoplePath(path),
    ...journal.items(personPath(path)).flatMap((index) => journal.within(itemPath(personPath(path), index))),
  ]
  if (entry === undefined) {
    // It may have been waiting for an approval when the run ended.
    journal.refuse(followUps, 'not_ended')
    return openEnding
  }
  const ending = endedEntry(journal, entry)
  if (ending.flow === 'open') {
    journal.refuse(followUps, 'failed')
    return openEnding
  }
  for (const each of followUps) if (typeof journal.entry(each)?.endedAt === 'number') journal.carry(each)
  const undo = ending.undo.length > 0 ? [path, ...followUps] : []
  return { flow: action === 'return' || (action === 'fail' && undo.length > 0) ? 'ends' : ending.flow, undo }
}

function carried({ journal }: Comparison, path: string): Ending {
  journal.carry(path)
  return completeEnding
}

function* handleFailure(
  comparison: Comparison,
  step: Step,
  old: Step | undefined,
  path: string,
  thread: Thread,
): ComparisonWalk {
  if (typeof step.onError === 'string') return completeEnding
  const handlers = old === undefined || typeof old.onError === 'string' ? [] : old.onError
  const place = onErrorPath(path)
  const ending = yield* walkSteps(comparison, { new: step.onError, old: handlers }, place, thread)
  if (ending.flow === 'goes_on' || (ending.flow === 'ends' && ending.undo.length === 0)) return ending
  return openEnding
}
