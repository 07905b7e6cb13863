import type { Step, StepState } from '../api/types.ts'

const order: readonly StepState[] = ['unknown', 'failed', 'started', 'completed']

/**
 * The step that somebody who opens a run wants to see: what needs them or went wrong, else the last one. A group or a call fails
 * because of what is inside of it: that is shown.
 */
export function firstToSee(steps: readonly Step[]): Step | undefined {
  for (const state of order) {
    const ofState = steps.filter((step) => step.state === state)
    let found = ofState.at(-1)
    for (let inner = found; inner !== undefined;) {
      found = inner
      const { path } = inner
      inner = ofState.findLast((step) => isInside(step.path, path))
    }
    if (found !== undefined) return found
  }
  return steps.at(-1)
}

const isInside = (path: string, group: string): boolean =>
  path.length > group.length && path.startsWith(group) && '/[#'.includes(path.charAt(group.length))
