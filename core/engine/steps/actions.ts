import { hide } from '../../domain/mask.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { FailStep, ReturnStep, SetStep, UsesStep, WaitStep } from '../../playbook/language/playbook.ts'
import type { DestructiveWork } from '../journal/durable-context.ts'
import { untilMs, templateValue } from '../scope/evaluate.ts'
import { fromOutcome, type Flow } from '../scope/flow.ts'
import { isRepeatedPath } from '../journal/paths.ts'
import { advance, type StepScope } from '../scope/scope.ts'
import { skillCallsOf } from './calls-of.ts'
import { rememberResult, type Walk } from './walk.ts'

/** Timeout of one call of a skill. */
export const skillTimeoutMs = 60_000

/** Calls a skill: besides checkpoints, the only step with an external effect. */
export async function runUses(walk: Walk, step: UsesStep, path: string, scope: StepScope): Promise<Flow> {
  const { skill, connection, onInterrupted, sensitive } = step
  const declared = walk.skills.interrupted(skill)
  const outcome = await walk.context.perform({
    path,
    stepId: step.id,
    kind: skill,
    sensitive,
    input: () => approvedInput(path, scope) ?? templateValue(step.with, scope),
    ...skillCallsOf(walk, { skill, connection, sensitive }),
    destructive: destructiveWork(walk, step, path, scope),
    interrupted: onInterrupted ?? declared,
    mayRepeat: declared !== 'ask' || onInterrupted === 'repeat',
    timeoutMs: step.timeoutMs ?? skillTimeoutMs,
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    retry: step.retry,
  })
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

/** The approved input is used, even if the expression has another value by now. */
function approvedInput(path: string, { batch }: StepScope): unknown {
  const verdict = batch?.get(path)
  return verdict !== undefined && 'input' in verdict ? verdict.input : undefined
}

function destructiveWork(
  walk: Walk,
  { skill, sensitive }: UsesStep,
  path: string,
  scope: StepScope,
): DestructiveWork | undefined {
  const declared = walk.skills.destructive?.(skill)
  if (declared === undefined) return undefined
  const verdict = scope.batch?.get(path)
  return {
    ...declared,
    shown: (input) => hide(sensitive?.input, input),
    isAgain: isRepeatedPath(path),
    isApproved: verdict !== undefined && 'input' in verdict,
    refused: verdict !== undefined && 'refused' in verdict ? verdict.refused : undefined,
  }
}

export async function runSet(walk: Walk, step: SetStep, path: string, scope: StepScope): Promise<Flow> {
  const evaluate = () => ({ state: 'completed' as const, output: templateValue(step.set, scope) })
  return await rememberResult(walk, step, path, scope, evaluate, undefined, step.sensitive?.output)
}

export async function runWait(walk: Walk, step: WaitStep, path: string, scope: StepScope): Promise<Flow> {
  const outcome = await walk.context.sleep({
    path,
    stepId: step.id,
    kind: 'wait',
    untilMs: () => untilMs(step.wait, scope),
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
  })
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

export async function runReturn(walk: Walk, step: ReturnStep, path: string, scope: StepScope): Promise<Flow> {
  const evaluate = () => ({ state: 'completed' as const, output: templateValue(step.return, scope) })
  const flow = await rememberResult(walk, step, path, scope, evaluate, undefined, step.sensitive?.output)
  if (flow.state !== 'completed') return flow
  return { state: 'run_ends', outcome: { status: 'completed', output: flow.output, error: null } }
}

/** Ends the run as failed. If the message cannot be evaluated, the step fails instead. */
export async function runFail(walk: Walk, step: FailStep, path: string, scope: StepScope): Promise<Flow> {
  const flow = await rememberResult(walk, step, path, scope, () => {
    const message = String(templateValue(step.message, scope))
    throw new TocsinError('playbook_failed', message)
  })
  if (flow.state !== 'failed' || flow.error.code !== 'playbook_failed') return flow
  return { state: 'run_ends', outcome: { status: 'failed', output: null, error: flow.error, failedAt: path } }
}
