import { inside, withoutInner } from '../../engine/journal/paths.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { placedSteps, withoutItems, type PlacedStep } from './placed-steps.ts'
import type { CalledByName } from './playbook-test.ts'

/** A step with its name in mocks and answers. */
export interface NamedStep extends PlacedStep {
  /**
   * The id, or the path (`contain/confirm`) if it has no id or is in a called playbook, because ids are
   * unique only within a playbook.
   */
  readonly name: string
}

/** All steps of a playbook and of the playbooks it calls. */
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
  // A circular call is reported when it runs.
  if (callee === undefined || callers.includes(callee.name)) return []
  return placedSteps(callee).flatMap((inner) => {
    const place = { path: inside(path, inner.path), step: inner.step }
    return [{ ...place, name: place.path }, ...stepsInside(place, called, [...callers, callee.name])]
  })
}

/** Finds a step by its path in the journal; the notification of a checkpoint counts as the checkpoint. */
export function stepFinder(steps: readonly NamedStep[]): (path: string) => NamedStep | undefined {
  const byPath = new Map(steps.map((step) => [step.path, step]))
  return (path) => byPath.get(withoutItems(withoutInner(path)))
}
