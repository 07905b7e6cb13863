import type { Mask } from '../../domain/mask.ts'
import type { StoredError } from '../../domain/run.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { Playbook, Step } from '../../playbook/language/playbook.ts'
import type { DurableContext, PureResult } from '../journal/durable-context.ts'
import { fromOutcome, type Flow } from '../scope/flow.ts'
import { beginPath } from '../journal/paths.ts'
import { advance, type StepScope } from '../scope/scope.ts'
import type { SkillCallRun, Skills } from '../skills/skill-caller.ts'
import { storedTocsinError } from '../journal/stored-error.ts'

/** The playbooks that can be called. */
export interface CalledPlaybooks {
  /** Content hash of the live version; undefined if there is none. */
  newest(name: string): string | undefined
  /** Returns the same playbook for the same hash. */
  load(hash: string): Promise<Playbook>
}

/** Shared by all steps of a run. */
export interface Walk {
  readonly context: DurableContext
  readonly skills: Skills
  readonly run: SkillCallRun
  /** Opens the case of the run before a step reads it. Undefined: there is one. */
  readonly openCase?: (() => Promise<unknown>) | undefined
  /** `prefix` is the path of the enclosing step. */
  readonly runSteps: (steps: readonly Step[], prefix: string, scope: StepScope) => Promise<Flow>
  readonly runStep: (step: Step, prefix: string, scope: StepScope) => Promise<Flow>
  /** The version of a called playbook that this run uses. */
  readonly called: (
    name: string,
  ) => Promise<{ readonly playbook: Playbook } | { readonly error: StoredError }>
}

/** Records a result of the interpreter at the path of a step. Default: nothing is sensitive. */
export async function rememberResult(
  walk: Walk,
  step: Step,
  path: string,
  scope: StepScope,
  evaluate: () => PureResult,
  startedAt?: number,
  output?: Mask,
): Promise<Flow> {
  const sensitive = output === undefined ? undefined : { output }
  const work = { path, stepId: step.id, kind: kindOf(step), sensitive, startedAt, evaluate }
  const outcome = await walk.context.remember(work)
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

/** Records when a branch begins that had to wait for others. A replay cannot tell which of them ended first. */
export async function beginLate(
  walk: Walk,
  path: string,
  stepId: string | null,
  branch: StepScope,
): Promise<void> {
  const evaluate = () => ({ state: 'completed' as const, output: null })
  const outcome = await walk.context.remember({ path: beginPath(path), stepId, kind: 'begin', evaluate })
  advance(branch, outcome.endedAt)
}

function kindOf(step: Step): string {
  return step.action === 'uses' ? step.skill : step.action
}

/**
 * The value, or the error that the step fails with. Only intended errors (TocsinError) fail a step; any other is a
 * bug and ends the run.
 */
export function attempt<T>(evaluate: () => T): { readonly value: T } | { readonly error: StoredError } {
  try {
    return { value: evaluate() }
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    return { error: storedTocsinError(error) }
  }
}
