import type { Step } from '../language/playbook.ts'

/** The steps that handle the failure of a step. */
const handlersOf = ({ onError }: Pick<Step, 'onError'>): readonly Step[] =>
  typeof onError === 'string' ? [] : onError

/** All steps directly inside, the ones of `on_error` last. */
export function innerSteps(step: Step): readonly Step[] {
  switch (step.action) {
    case 'steps':
    case 'parallel':
      return [...step.steps, ...handlersOf(step)]
    case 'switch':
      return [...step.cases.flatMap((each) => each.steps), ...step.else, ...handlersOf(step)]
    case 'uses':
    case 'set':
    case 'state':
    case 'checkpoint':
    case 'call':
    case 'wait':
    case 'return':
    case 'fail':
      return handlersOf(step)
  }
}
