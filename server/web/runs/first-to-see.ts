import type { Step, StepState } from '../api/types.ts'

const order: readonly StepState[] = ['unknown', 'failed', 'started', 'completed']

/** The step that somebody who opens a run wants to see: what needs them or went wrong, else the last one. */
export function firstToSee(steps: readonly Step[]): Step | undefined {
  for (const state of order) {
    const found = steps.findLast((step) => step.state === state)
    if (found !== undefined) return found
  }
  return steps.at(-1)
}
