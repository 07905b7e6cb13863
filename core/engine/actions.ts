import { TocsinError } from '../plugin/index.ts'
import type { FailStep, ReturnStep, SetStep, UsesStep, WaitStep } from '../playbook/playbook.ts'
import { untilMs, valueOf } from './evaluate.ts'
import { fromOutcome, type Flow } from './flow.ts'
import { advance, type Scope } from './scope.ts'
import { remember, type Walk } from './walk.ts'

const defaultTimeoutMs = 60_000

/** Calls a skill: the only step with an effect outside. */
export async function runUses(walk: Walk, step: UsesStep, path: string, scope: Scope): Promise<Flow> {
  const { skill, connection } = step
  const { run, skills } = walk
  const outcome = await walk.context.perform({
    path,
    stepId: step.id,
    kind: skill,
    input: () => valueOf(step.with, scope),
    run: (input, attempt) => skills.call({ purpose: 'run', skill, connection, input, run, attempt }),
    verify: (input, attempt) => skills.call({ purpose: 'verify', skill, connection, input, run, attempt }),
    interrupted: skills.interrupted(skill),
    timeoutMs: step.timeoutMs ?? defaultTimeoutMs,
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    retry: step.retry,
  })
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

export async function runSet(walk: Walk, step: SetStep, path: string, scope: Scope): Promise<Flow> {
  return await remember(walk, step, path, scope, () => ({
    state: 'completed',
    output: valueOf(step.set, scope),
  }))
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
  const flow = await remember(walk, step, path, scope, evaluate)
  if (flow.state !== 'completed') return flow
  return { state: 'run_ends', outcome: { status: 'completed', output: flow.output, error: null } }
}

/** Ends the run as failed. A message that cannot be evaluated fails the step, and the run, all the same. */
export async function runFail(walk: Walk, step: FailStep, path: string, scope: Scope): Promise<Flow> {
  const flow = await remember(walk, step, path, scope, () => {
    throw new TocsinError('playbook_failed', String(valueOf(step.message, scope)))
  })
  if (flow.state !== 'failed' || flow.error.code !== 'playbook_failed') return flow
  return { state: 'run_ends', outcome: { status: 'failed', output: null, error: flow.error } }
}
