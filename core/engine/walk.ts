import type { StoredError } from '../domain/run.ts'
import { TocsinError } from '../plugin/index.ts'
import type { Step } from '../playbook/playbook.ts'
import type { DurableContext, PureResult } from './durable-context.ts'
import { fromOutcome, type Flow } from './flow.ts'
import { advance, type Scope } from './scope.ts'
import type { Interrupted, SkillCaller, SkillCallRun } from './skill-caller.ts'
import { storedTocsinError } from './stored-error.ts'

/** How the interpreter reaches skills. */
export interface Skills {
  readonly call: SkillCaller
  /** What to do when a crash interrupted a call of this skill; see `interruptedPolicy`. */
  readonly interrupted: (skill: string) => Interrupted
}

/** What all steps of a run have in common. */
export interface Walk {
  readonly context: DurableContext
  readonly skills: Skills
  readonly run: SkillCallRun
  /** Walks steps in order; `prefix` is the path of what holds them. */
  readonly runSteps: (steps: readonly Step[], prefix: string, scope: Scope) => Promise<Flow>
  readonly runStep: (step: Step, prefix: string, scope: Scope) => Promise<Flow>
}

/** Records a result of the interpreter's own making at the path of a step. */
export async function remember(
  walk: Walk,
  step: Step,
  path: string,
  scope: Scope,
  evaluate: () => PureResult,
  startedAt?: number,
): Promise<Flow> {
  const work = { path, stepId: step.id, kind: kindOf(step), startedAt, evaluate }
  const outcome = await walk.context.remember(work)
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

function kindOf(step: Step): string {
  return step.action === 'uses' ? step.skill : step.action
}

/**
 * A value, or the failure of the step that needed it. Only errors that were raised on purpose (expressions, limits) are
 * failures of a step; any other is a bug of ours and ends the run.
 */
export function attempt<T>(evaluate: () => T): { readonly value: T } | { readonly error: StoredError } {
  try {
    return { value: evaluate() }
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    return { error: storedTocsinError(error) }
  }
}
