import { finallyPath, inside, onErrorPath, runErrorPath } from '../../engine/journal/paths.ts'
import type { Playbook, Step } from '../../playbook/language/playbook.ts'

/** A step with the path it has in the journal of a run, indexes of items left out: `outcome/0/isolate`. */
export interface PlacedStep {
  readonly path: string
  readonly step: Step
}

/** All steps in the order in which they are written. */
export function placedSteps(
  playbook: Pick<Playbook, 'steps' | 'onError' | 'finally'>,
): readonly PlacedStep[] {
  const found: PlacedStep[] = []
  const visit = (steps: readonly Step[], prefix: string) => {
    for (const step of steps) {
      const path = inside(prefix, step.key)
      found.push({ path, step })
      for (const [within, inner] of innerSteps(step))
        visit(inner, within === '' ? path : inside(path, within))
      if (typeof step.onError !== 'string') visit(step.onError, onErrorPath(path))
    }
  }
  visit(playbook.steps, '')
  visit(playbook.onError, runErrorPath)
  visit(playbook.finally, finallyPath)
  return found
}

/** The lists of steps inside a step, each with its own part of the path. */
function innerSteps(step: Step): readonly (readonly [within: string, steps: readonly Step[]])[] {
  switch (step.action) {
    case 'steps':
    case 'parallel':
      return [['', step.steps]]
    case 'switch':
      return [
        ...step.cases.map((each, index) => [String(index), each.steps] as const),
        ['else', step.else] as const,
      ]
    default:
      return []
  }
}

/** The path of a place in the playbook, from that of a place in a run: items and times are left out. */
export function withoutItems(path: string): string {
  return path.replaceAll(/\[\d+\]|#\d+/g, '')
}
