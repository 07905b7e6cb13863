import { innerSteps } from '../../playbook/check/inner-steps.ts'
import type { Step } from '../../playbook/language/playbook.ts'

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
