import { finallyPath, inside, onErrorPath, runErrorPath } from '../../engine/journal/paths.ts'
import type { Playbook, Step } from '../../playbook/language/playbook.ts'

/** A step with its path in the journal, without indexes of items: `outcome/0/isolate`. */
export interface PlacedStep {
  readonly path: string
  readonly step: Step
}

/** All steps in source order. */
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

/** The lists of steps inside a step, each with its path segment. */
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

/** Converts a path in a run into a path in the playbook, without items and repetitions. */
export function withoutItems(path: string): string {
  return path.replaceAll(/\[\d+\]|#\d+/g, '')
}
