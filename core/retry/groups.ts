import {
  inside,
  itemPath,
  repeatPath,
  waitPath,
  finallyPath,
  runErrorPath,
  statePath,
  untilPath,
} from '../engine/journal/paths.ts'
import type { ParallelStep, SwitchStep, CallStep } from '../playbook/language/playbook.ts'
import { completeEnding, joinedEndings, openEnding, type Ending, type ComparisonWalk } from './ending.ts'
import { forkThread, joinThread, type Thread } from './thread.ts'
import { settled, type Comparison, type Pair } from './comparison.ts'
import { interfaceOf } from './definition.ts'

export function* walkParallel(
  comparison: Comparison,
  { new: step, old }: Pair<ParallelStep>,
  path: string,
  thread: Thread,
): ComparisonWalk {
  const branches = step.steps.map((branch) => ({ branch, thread: forkThread(thread) }))
  const endings: Ending[] = []
  for (const each of branches) {
    const steps = { new: [each.branch], old: old.steps.filter(({ key }) => key === each.branch.key) }
    endings.push(yield* comparison.walkSteps(comparison, steps, path, each.thread))
  }
  const kept = new Set(step.steps.map(({ key }) => key))
  for (const { key } of old.steps)
    if (!kept.has(key)) comparison.journal.refuse(comparison.journal.within(inside(path, key)), 'gone')
  for (const each of branches) joinThread(thread, each.thread, each.branch)
  return joinedEndings(endings)
}

/** The same case is taken again, because its condition is unchanged. */
export function* walkSwitch(
  comparison: Comparison,
  { new: step, old }: Pair<SwitchStep>,
  path: string,
  thread: Thread,
): ComparisonWalk {
  const { journal } = comparison
  const cases = [
    ...step.cases.map((each, index) => ({
      name: String(index),
      new: each.steps,
      old: old.cases[index]!.steps,
    })),
    { name: 'else', new: step.else, old: old.else },
  ]
  const record = journal.entry(path)?.output as { readonly case?: unknown } | null | undefined
  const taken = cases.find(
    ({ name }) => String(record?.case) === name || journal.within(inside(path, name)).length > 0,
  )
  if (taken === undefined) return journal.entry(path)?.state === 'completed' ? completeEnding : openEnding
  return yield* comparison.walkSteps(comparison, taken, inside(path, taken.name), thread)
}

export function* walkForeach(
  comparison: Comparison,
  pair: Pair,
  path: string,
  thread: Thread,
): ComparisonWalk {
  const { journal } = comparison
  const goesOnAfter = pair.new.foreach?.onItemError === 'continue'
  const items = journal.items(path)
  const endings: Ending[] = []
  for (const index of items) {
    const ending = yield* comparison.walkAllTimes(comparison, pair, itemPath(path, index), forkThread(thread))
    endings.push(ending.flow === 'failed' && goesOnAfter ? completeEnding : ending)
    yield
  }
  const all = joinedEndings(endings)
  const record = journal.entry(path)
  // The number of items is unknown.
  const isWhole = record !== undefined || all.flow === 'ends'
  const isCut = record?.state === 'completed' && countOf(record.output) !== items.length
  return settled(comparison, path, isWhole && !isCut ? all : { ...all, flow: 'open' })
}

const countOf = (output: unknown): unknown => (output as { readonly items?: unknown } | null)?.items

export function* walkRepeat(
  comparison: Comparison,
  pair: Pair,
  path: string,
  thread: Thread,
): ComparisonWalk {
  const { journal } = comparison
  let ending: Ending = openEnding
  for (let time = 1; ; time++) {
    const here = repeatPath(path, time)
    if (journal.within(here).length === 0) break
    ending = yield* comparison.walkAction(comparison, pair, here, thread)
    yield
    if (ending.flow !== 'goes_on') break
    journal.carry(statePath(untilPath(here)))
    if (journal.entry(waitPath(here))?.state === 'completed') journal.carry(waitPath(here))
  }
  const record = journal.entry(path)
  if (ending.flow !== 'goes_on') return settled(comparison, path, ending)
  if (record === undefined) return openEnding
  const done = settled(comparison, path, ending)
  // It gave up although every repetition succeeded, so a retry starts it from the beginning.
  return done.flow === 'failed' ? { ...done, undo: journal.within(path) } : done
}

/** Compares a called playbook as part of the run, with its own `on_error` and `finally`. */
export function* walkCall(
  comparison: Comparison,
  { playbook: name }: CallStep,
  path: string,
): ComparisonWalk {
  const { journal, callers } = comparison
  const callee = callers.includes(name) ? undefined : comparison.callee(name)
  if (callee === undefined || interfaceOf(callee.old) !== interfaceOf(callee.new)) {
    journal.refuse(journal.within(path), 'changed', name)
    return openEnding
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
  // Reached only by a failed step; the record of the call shows how it was handled.
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
