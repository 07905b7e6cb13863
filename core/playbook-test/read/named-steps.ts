import { inside } from '../../engine/journal/paths.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { placedSteps, withoutItems, type PlacedStep } from './placed-steps.ts'
import type { CalledByName } from './playbook-test.ts'

/** A step as mocks and answers call it. */
export interface NamedStep extends PlacedStep {
  /** The id, or its path where it has none or is in a called playbook, since ids are unique in one playbook alone: `contain/confirm`. */
  readonly name: string
}

/** All steps of a playbook, and of those that it calls. */
export function namedSteps(playbook: Playbook, called: CalledByName = new Map()): readonly NamedStep[] {
  const own = placedSteps(playbook).map(({ path, step }) => ({ path, step, name: step.id ?? path }))
  return [...own, ...own.flatMap((step) => stepsInside(step, called, [playbook.name]))]
}

function stepsInside(
  { path, step }: PlacedStep,
  called: CalledByName,
  callers: readonly string[],
): readonly NamedStep[] {
  const callee = step.action === 'call' ? called.get(step.playbook) : undefined
  // A circle is reported when it runs.
  if (callee === undefined || callers.includes(callee.name)) return []
  return placedSteps(callee).flatMap((inner) => {
    const place = { path: inside(path, inner.path), step: inner.step }
    return [{ ...place, name: place.path }, ...stepsInside(place, called, [...callers, callee.name])]
  })
}

/** Finds a step by its path in the journal; what tells of a checkpoint stands for the checkpoint. */
export function stepFinder(steps: readonly NamedStep[]): (path: string) => NamedStep | undefined {
  const byPath = new Map(steps.map((step) => [step.path, step]))
  return (path) => byPath.get(withoutItems(path.replace(/\/@[a-z_]+$/, '')))
}
