import { createHash } from 'node:crypto'
import type { StoredError } from '../../domain/run.ts'
import { usedInterface } from '../../interface/interface-skills.ts'
import { TocsinError } from '../../plugin/index.ts'
import type {
  FailStep,
  ReturnStep,
  SetStep,
  StateStep,
  Step,
  Template,
  UsesStep,
  WaitStep,
} from '../../playbook/language/playbook.ts'
import type { StateChange, StateRequest } from '../../state/state.ts'
import { untilMs, templateValue } from '../scope/evaluate.ts'
import { fromOutcome, type Flow } from '../scope/flow.ts'
import { advance, type StepScope } from '../scope/scope.ts'
import { ruleOf } from '../scope/state-reads.ts'
import { approvedInput, performSkill } from './calls-of.ts'
import { runInterface } from './interface.ts'
import { attempt, rememberResult, type Walk } from './walk.ts'
import { waitForEvent } from './waits/wait-for-event.ts'

/** Calls a skill: besides checkpoints, the only step with an external effect. */
export async function runUses(walk: Walk, step: UsesStep, path: string, scope: StepScope): Promise<Flow> {
  const of = usedInterface(step.skill)
  if (of !== undefined) return await runInterface(walk, step, of, path, scope)
  const input = () => approvedInput(path, scope) ?? templateValue(step.with, scope)
  return fromOutcome(await performSkill(walk, step, path, scope, input), path)
}

export function runSet(walk: Walk, step: SetStep, path: string, scope: StepScope): Promise<Flow> {
  const evaluate = () => ({ state: 'completed' as const, output: templateValue(step.set, scope) })
  return rememberResult(walk, step, path, scope, evaluate, undefined, step.sensitive?.output)
}

/** Changes a state of the playbook, or reads an entry. */
export async function runState(walk: Walk, step: StateStep, path: string, scope: StepScope): Promise<Flow> {
  const outcome = await walk.context.state({
    path,
    stepId: step.id,
    kind: 'state',
    sensitive: step.sensitive,
    request: () => stateRequest(step, scope),
    shielded: scope.shielded,
  })
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

function stateRequest(step: StateStep, scope: StepScope): StateRequest {
  const { operation, state: name, stateKey, value, expected, by } = step
  const key = stateKey && { key: templateValue(stateKey, scope) as string }
  const change = {
    operation,
    ...key,
    ...(value && { value: templateValue(value, scope) }),
    ...(expected && { expected: { value: templateValue(expected, scope) } }),
    ...(operation === 'increment' && { by: by === undefined ? 1 : templateValue(by, scope) }),
  }
  return { playbook: scope.callers.at(-1)!, name, rule: ruleOf(scope, name), change: change as StateChange }
}

export async function runWait(walk: Walk, step: WaitStep, path: string, scope: StepScope): Promise<Flow> {
  const { wait } = step
  if ('event' in wait) return await waitForEvent(walk, step, wait, path, scope)
  const outcome = await walk.context.sleep({
    path,
    stepId: step.id,
    kind: 'wait',
    untilMs: () => untilMs(wait, scope),
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

/**
 * Waits until the rate limit of the step allows it to start; returns the end of the step if it must
 * not start.
 */
export async function untilAdmitted(
  walk: Walk,
  step: Step,
  path: string,
  scope: StepScope,
): Promise<Flow | undefined> {
  const { rate, id: stepId } = step
  if (rate === undefined || walk.context.admit === undefined) return undefined
  const key = attempt(() => rateKey(rate.key, (template) => templateValue(template, scope)))
  const failed = (error: StoredError) =>
    rememberResult(walk, step, path, scope, () => ({ state: 'failed', error }))
  if ('error' in key) return await failed(key.error)
  const outcome = await walk.context.admit({
    path,
    stepId,
    kind: 'rate',
    start: { limit: rate.limit, playbook: scope.callers.at(-1) ?? '', stepId, key: key.value },
    waits: rate.policy === 'wait',
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
  })
  if (outcome === undefined) return undefined
  advance(scope, outcome.endedAt)
  return outcome.state === 'failed' ? await failed(outcome.error) : undefined
}

/** Keys have any length and may be sensitive, so only their hash is stored. */
export function rateKey(key: Template | undefined, valueOf: (key: Template) => unknown): string | null {
  if (key === undefined) return null
  return createHash('sha256')
    .update(String(valueOf(key)))
    .digest('hex')
}
