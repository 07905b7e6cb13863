import { finallyPath, inside, runErrorPath } from '../engine/journal/paths.ts'
import type { CallStep } from '../playbook/language/playbook.ts'
import { interfaceOf } from './definition.ts'
import { open, type Ending, type Walk } from './ending.ts'
import type { Comparison } from './comparison.ts'

/** The called playbook as a part of the run, with its own `on_error` and `finally`. */
export function* walkCall(comparison: Comparison, { playbook: name }: CallStep, path: string): Walk {
  const { journal, callers } = comparison
  const callee = callers.includes(name) ? undefined : comparison.callee(name)
  if (callee === undefined || interfaceOf(callee.old) !== interfaceOf(callee.new)) {
    journal.refuse(journal.within(path), 'changed', name)
    return open
  }
  const inner = { ...comparison, callers: [...callers, name] }
  const steps = { new: callee.new.steps, old: callee.old.steps }
  const thread = { open: new Set<string>(), inputs: new Set<string>() }
  const walked = yield* inner.walkSteps(inner, steps, path, thread)
  const ending: Ending =
    walked.flow === 'ends' ? { ...walked, flow: walked.undo.length > 0 ? 'failed' : 'goes_on' } : walked
  if (ending.flow === 'open') return ending

  const errorPlace = inside(path, runErrorPath)
  const finallyPlace = inside(path, finallyPath)
  // Only a failed step leads there; what it makes of the failure stands in the record of the call.
  const handlers = { new: callee.new.onError, old: callee.old.onError }
  const handled =
    walked.flow === 'failed' ? yield* inner.walkSteps(inner, handlers, errorPlace, thread) : undefined
  const last = { new: callee.new.finally, old: callee.old.finally }
  const after = yield* inner.walkSteps(inner, last, finallyPlace, thread)
  const undo = [...ending.undo, ...journal.within(errorPlace), ...journal.within(finallyPlace)]
  if (handled?.flow === 'open' || after.flow === 'open') return { flow: 'open', undo }
  const isReturned = handled?.flow === 'ends' && handled.undo.length === 0
  if (ending.flow === 'goes_on' || isReturned)
    return after.flow === 'goes_on' ? { flow: 'goes_on', undo: [] } : { flow: 'failed', undo }
  return { flow: 'failed', undo }
}
