import type { Step, StepState } from '../../api/types.ts'

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

/** A person decided, or the playbook did. */
const decisions: ReadonlySet<string> = new Set(['checkpoint', 'switch'])

/** The step that an ended run opens with: what needs somebody or went wrong, else its first decision, else its beginning. */
export function opensWith(steps: readonly Step[]): Step | undefined {
  const found = firstToSee(steps)
  if (found?.state !== 'completed') return found
  const done = steps.filter(({ state }) => state === 'completed')
  return done.find(({ kind }) => decisions.has(kind)) ?? done[0]
}

const isInside = (path: string, group: string): boolean =>
  path.length > group.length && path.startsWith(group) && '/[#'.includes(path.charAt(group.length))
