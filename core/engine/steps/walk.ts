import type { Mask } from '../../domain/mask.ts'
import type { StoredError } from '../../domain/run.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { Playbook, Step } from '../../playbook/language/playbook.ts'
import type { DurableContext, PureResult } from '../journal/durable-context.ts'
import { fromOutcome, type Flow } from '../scope/flow.ts'
import { beginPath } from '../journal/paths.ts'
import { advance, type Scope } from '../scope/scope.ts'
import type { SkillCallRun, Skills } from '../skills/skill-caller.ts'
import { storedTocsinError } from '../journal/stored-error.ts'

/** The playbooks that can be called. */
export interface CalledPlaybooks {
  /** Content hash of the version in force; undefined if there is none. */
  newest(name: string): string | undefined
  /** The same playbook for the same hash, always. */
  load(hash: string): Promise<Playbook>
}

/** What all steps of a run have in common. */
export interface Walk {
  readonly context: DurableContext
  readonly skills: Skills
  readonly run: SkillCallRun
  /** Opens the case of the run where there is none yet: before anything that reads it. Undefined: there is one. */
  readonly openCase?: (() => Promise<unknown>) | undefined
  /** Walks steps in order; `prefix` is the path of what holds them. */
  readonly runSteps: (steps: readonly Step[], prefix: string, scope: Scope) => Promise<Flow>
  readonly runStep: (step: Step, prefix: string, scope: Scope) => Promise<Flow>
  /** The version of a called playbook that this run holds on to. */
  readonly called: (
    name: string,
  ) => Promise<{ readonly playbook: Playbook } | { readonly error: StoredError }>
}

/** Records a result of the interpreter's own making at the path of a step; by default nothing in it is sensitive. */
export async function remember(
  walk: Walk,
  step: Step,
  path: string,
  scope: Scope,
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

/**
 * Begins what had to wait until others of its group ended: at that time, not at the beginning of the group. Which of them ended
 * first cannot be told from a replay, so the time is recorded.
 */
export async function beginLate(
  walk: Walk,
  path: string,
  stepId: string | null,
  branch: Scope,
): Promise<void> {
  const evaluate = () => ({ state: 'completed' as const, output: null })
  const outcome = await walk.context.remember({ path: beginPath(path), stepId, kind: 'begin', evaluate })
  advance(branch, outcome.endedAt)
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
