import type { Step } from '../playbook/playbook.ts'

const known = new WeakMap<Step, readonly string[]>()

/** The ids of the step and of all steps inside it, its `on_error` included. */
export function idsWithin(step: Step): readonly string[] {
  let ids = known.get(step)
  if (ids === undefined) {
    ids = [...(step.id === null ? [] : [step.id]), ...innerSteps(step).flatMap(idsWithin)]
    known.set(step, ids)
  }
  return ids
}

/** All steps directly inside, whichever way. */
function innerSteps(step: Step): readonly Step[] {
  const handlers = typeof step.onError === 'string' ? [] : step.onError
  switch (step.action) {
    case 'steps':
    case 'parallel':
      return [...step.steps, ...handlers]
    case 'switch':
      return [...step.cases.flatMap((each) => each.steps), ...step.else, ...handlers]
    case 'uses':
    case 'set':
    case 'checkpoint':
    case 'call':
    case 'wait':
    case 'return':
    case 'fail':
      return handlers
  }
}
