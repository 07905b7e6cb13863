import { hide } from '../../domain/mask.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { FailStep, ReturnStep, SetStep, UsesStep, WaitStep } from '../../playbook/language/playbook.ts'
import type { DestructiveWork } from '../journal/durable-context.ts'
import { untilMs, valueOf } from '../scope/evaluate.ts'
import { fromOutcome, type Flow } from '../scope/flow.ts'
import { isRepeatedPath } from '../journal/paths.ts'
import { advance, type Scope } from '../scope/scope.ts'
import { callsOf } from './calls-of.ts'
import { remember, type Walk } from './walk.ts'

/** Of one call of a skill. */
export const defaultTimeoutMs = 60_000

/** Calls a skill: the only step with an effect outside, besides the asking of a checkpoint. */
export async function runUses(walk: Walk, step: UsesStep, path: string, scope: Scope): Promise<Flow> {
  const { skill, connection, onInterrupted, sensitive } = step
  const declared = walk.skills.interrupted(skill)
  const outcome = await walk.context.perform({
    path,
    stepId: step.id,
    kind: skill,
    sensitive,
    input: () => approvedInput(path, scope) ?? valueOf(step.with, scope),
    ...callsOf(walk, { skill, connection, sensitive }),
    destructive: destructiveWork(walk, step, path, scope),
    interrupted: onInterrupted ?? declared,
    mayRepeat: declared !== 'ask' || onInterrupted === 'repeat',
    timeoutMs: step.timeoutMs ?? defaultTimeoutMs,
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    retry: step.retry,
  })
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

/** What was approved is what is done, whatever an expression says by then. */
function approvedInput(path: string, { batch }: Scope): unknown {
  const verdict = batch?.get(path)
  return verdict !== undefined && 'input' in verdict ? verdict.input : undefined
}

function destructiveWork(
  walk: Walk,
  { skill, sensitive }: UsesStep,
  path: string,
  scope: Scope,
): DestructiveWork | undefined {
  const declared = walk.skills.destructive?.(skill)
  if (declared === undefined) return undefined
  const verdict = scope.batch?.get(path)
  return {
    ...declared,
    // For people: without what is sensitive.
    shown: (input) => hide(sensitive?.input, input),
    isAgain: isRepeatedPath(path),
    isApproved: verdict !== undefined && 'input' in verdict,
    refused: verdict !== undefined && 'refused' in verdict ? verdict.refused : undefined,
  }
}

export async function runSet(walk: Walk, step: SetStep, path: string, scope: Scope): Promise<Flow> {
  const evaluate = () => ({ state: 'completed' as const, output: valueOf(step.set, scope) })
  return await remember(walk, step, path, scope, evaluate, undefined, step.sensitive?.output)
}

export async function runWait(walk: Walk, step: WaitStep, path: string, scope: Scope): Promise<Flow> {
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

export async function runReturn(walk: Walk, step: ReturnStep, path: string, scope: Scope): Promise<Flow> {
  const evaluate = () => ({ state: 'completed' as const, output: valueOf(step.return, scope) })
  const flow = await remember(walk, step, path, scope, evaluate, undefined, step.sensitive?.output)
  if (flow.state !== 'completed') return flow
  return { state: 'run_ends', outcome: { status: 'completed', output: flow.output, error: null } }
}

/** Ends the run as failed. A message that cannot be evaluated fails the step, and the run, all the same. */
export async function runFail(walk: Walk, step: FailStep, path: string, scope: Scope): Promise<Flow> {
  const flow = await remember(walk, step, path, scope, () => {
    const message = String(valueOf(step.message, scope))
    throw new TocsinError('playbook_failed', message)
  })
  if (flow.state !== 'failed' || flow.error.code !== 'playbook_failed') return flow
  return { state: 'run_ends', outcome: { status: 'failed', output: null, error: flow.error, failedAt: path } }
}
