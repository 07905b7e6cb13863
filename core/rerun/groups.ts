import { inside, itemPath, repeatPath, waitPath } from '../engine/journal/paths.ts'
import type { ParallelStep, SwitchStep } from '../playbook/language/playbook.ts'
import { goesOn, joinedEndings, open, type Ending, type Walk } from './ending.ts'
import { fork, join, type Thread } from './thread.ts'
import { settled, type Comparison, type Pair } from './comparison.ts'

export function* walkParallel(
  comparison: Comparison,
  { new: step, old }: Pair<ParallelStep>,
  path: string,
  thread: Thread,
): Walk {
  const branches = step.steps.map((branch) => ({ branch, thread: fork(thread) }))
  const endings: Ending[] = []
  for (const each of branches) {
    const steps = { new: [each.branch], old: old.steps.filter(({ key }) => key === each.branch.key) }
    endings.push(yield* comparison.walkSteps(comparison, steps, path, each.thread))
  }
  const kept = new Set(step.steps.map(({ key }) => key))
  for (const { key } of old.steps)
    if (!kept.has(key)) comparison.journal.refuse(comparison.journal.within(inside(path, key)), 'gone')
  for (const each of branches) join(thread, each.thread, each.branch)
  return joinedEndings(endings)
}

/** The case that was taken is taken again: what it was chosen by is the same. */
export function* walkSwitch(
  comparison: Comparison,
  { new: step, old }: Pair<SwitchStep>,
  path: string,
  thread: Thread,
): Walk {
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
  if (taken === undefined) return journal.entry(path)?.state === 'completed' ? goesOn : open
  return yield* comparison.walkSteps(comparison, taken, inside(path, taken.name), thread)
}

export function* walkForeach(comparison: Comparison, pair: Pair, path: string, thread: Thread): Walk {
  const { journal } = comparison
  const goesOnAfter = pair.new.foreach?.onItemError === 'continue'
  const items = journal.items(path)
  const endings: Ending[] = []
  for (const index of items) {
    const ending = yield* comparison.walkAllTimes(comparison, pair, itemPath(path, index), fork(thread))
    endings.push(ending.flow === 'failed' && goesOnAfter ? goesOn : ending)
    yield
  }
  const all = joinedEndings(endings)
  const record = journal.entry(path)
  // Nobody knows how many there were.
  const isWhole = record !== undefined || all.flow === 'ends'
  const isCut = record?.state === 'completed' && countOf(record.output) !== items.length
  return settled(comparison, path, isWhole && !isCut ? all : { ...all, flow: 'open' })
}

const countOf = (output: unknown): unknown => (output as { readonly items?: unknown } | null)?.items

export function* walkRepeat(comparison: Comparison, pair: Pair, path: string, thread: Thread): Walk {
  const { journal } = comparison
  let ending: Ending = open
  for (let time = 1; ; time++) {
    const here = repeatPath(path, time)
    if (journal.within(here).length === 0) break
    ending = yield* comparison.walkAction(comparison, pair, here, thread)
    yield
    if (ending.flow !== 'goes_on') break
    if (journal.entry(waitPath(here))?.state === 'completed') journal.carry(waitPath(here))
  }
  const record = journal.entry(path)
  if (ending.flow !== 'goes_on') return settled(comparison, path, ending)
  if (record === undefined) return open
  const done = settled(comparison, path, ending)
  // It was given up although every time went well: to go on means to begin anew.
  return done.flow === 'failed' ? { ...done, undo: journal.within(path) } : done
}
