import type { Foreach, Playbook, Step } from '../playbook/playbook.ts'
import { runFail, runReturn, runSet, runUses, runWait } from './actions.ts'
import type { DurableContext } from './durable-context.ts'
import { holds, valueOf } from './evaluate.ts'
import { goesOn, type Failed, type Flow, type RunOutcome } from './flow.ts'
import { runForeach } from './foreach.ts'
import { runGroup } from './groups.ts'
import { finallyPath, inside, onErrorPath } from './paths.ts'
import {
  emptySteps,
  isOver,
  unreached,
  viewOf,
  withLocals,
  type Deadline,
  type RunNames,
  type Scope,
} from './scope.ts'
import type { SkillCallRun } from './skill-caller.ts'
import { idsWithin } from './step-ids.ts'
import { attempt, remember, type Skills, type Walk } from './walk.ts'

/** The steps of `finally` may take so long, however little of the run's own time was left. */
const longestFinallyMs = 3_600_000

/** What is known of a run before its first step. */
export interface RunInputs {
  readonly run: SkillCallRun
  readonly names: RunNames
}

/**
 * Walks a playbook. Deterministic: what it does follows from the playbook, the names and the outcomes that the context gives; it
 * reads no clock, draws no randomness, and never depends on which of two branches was faster. Hence a new process that is given
 * the same journal comes to the same place.
 *
 * Rejects when the context does (RunSuspended: the run goes on later), and on a bug.
 */
export async function interpret(
  playbook: Playbook,
  inputs: RunInputs,
  context: DurableContext,
  skills: Skills,
): Promise<RunOutcome> {
  const walk: Walk = { context, skills, run: inputs.run, runSteps, runStep }
  const scope = rootScope(playbook, inputs, context)
  const outcome = endOfRun(playbook, await runSteps(playbook.steps, '', scope), scope)
  return await runFinally(playbook, outcome, scope)

  async function runSteps(steps: readonly Step[], prefix: string, scope: Scope): Promise<Flow> {
    for (const step of steps) {
      const flow = await runStep(step, prefix, scope)
      // First: whatever the step says, nothing goes on after the deadline, and it is the deadline that failed.
      if (flow.state !== 'run_ends' && isOver(scope.deadline, scope)) return tooLate(scope.deadline)
      if (!goesOn(flow)) return flow
    }
    return { state: 'completed', output: undefined }
  }

  /** One step with all that it is wrapped in: condition, items, error handling, default. */
  async function runStep(step: Step, prefix: string, scope: Scope): Promise<Flow> {
    const path = inside(prefix, step.key)
    const flow = await unlessSkipped(step, path, scope)
    const handled = flow.state === 'failed' ? await handleFailure(step, path, scope, flow) : flow
    if (step.id !== null && handled.state !== 'run_ends') scope.thread.steps[step.id] = viewOf(handled)
    return handled
  }

  async function unlessSkipped(step: Step, path: string, scope: Scope): Promise<Flow> {
    const wanted = attempt(() => step.if === undefined || holds(step.if, scope))
    if ('error' in wanted) {
      return await remember(walk, step, path, scope, () => ({ state: 'failed', error: wanted.error }))
    }
    if (wanted.value) return await runAllItems(step, path, scope)
    const evaluate = () => ({ state: 'skipped' as const, output: defaultOf(step, scope) })
    const flow = await remember(walk, step, path, scope, evaluate)
    return flow.state === 'skipped' && !step.default ? { ...flow, output: undefined } : flow
  }

  async function runAllItems(step: Step, path: string, scope: Scope): Promise<Flow> {
    if (!hasForeach(step)) return await runAction(step, path, scope)
    return await runForeach(walk, step, path, scope, (itemPath, item) => runAction(step, itemPath, item))
  }

  async function runAction(step: Step, path: string, scope: Scope): Promise<Flow> {
    switch (step.action) {
      case 'uses':
        return await runUses(walk, step, path, scope)
      case 'set':
        return await runSet(walk, step, path, scope)
      case 'wait':
        return await runWait(walk, step, path, scope)
      case 'return':
        return await runReturn(walk, step, path, scope)
      case 'fail':
        return await runFail(walk, step, path, scope)
      case 'steps':
      case 'parallel':
      case 'switch':
        return await runGroup(walk, step, path, scope)
    }
  }

  async function handleFailure(step: Step, path: string, scope: Scope, failed: Failed): Promise<Flow> {
    if (step.onError === 'fail') return failed
    const { error, items } = failed
    const inner = withLocals(scope, { error })
    if (step.onError !== 'continue') {
      const flow = await runSteps(step.onError, onErrorPath(path), inner)
      if (!goesOn(flow)) return flow
    }
    const output = attempt(() => defaultOf(step, inner))
    if ('error' in output) return { state: 'failed', error: output.error, path }
    return { state: 'handled', error, output: output.value, items }
  }

  async function runFinally(playbook: Playbook, outcome: RunOutcome, scope: Scope): Promise<RunOutcome> {
    if (playbook.finally.length === 0) return outcome
    const atMs = scope.thread.nowMs + Math.min(playbook.timeoutMs, longestFinallyMs)
    const deadline = { atMs, path: finallyPath, error: runTimedOut }
    const locals = outcome.error === null ? {} : { error: outcome.error }
    const run = { ...scope.names.run, status: outcome.status }
    const inner: Scope = { ...scope, names: { ...scope.names, run }, locals, deadline, shielded: true }
    const flow = await runSteps(playbook.finally, finallyPath, inner)
    const ended = endOfRun(undefined, flow, inner)
    return outcome.status === 'completed' && ended.status !== 'completed' ? ended : outcome
  }
}

const runTimedOut = { code: 'run_timeout', message: 'the time of the run was up' }

function rootScope(playbook: Playbook, inputs: RunInputs, context: DurableContext): Scope {
  const steps = emptySteps()
  for (const step of [...playbook.steps, ...playbook.finally]) {
    for (const id of idsWithin(step)) steps[id] = unreached
  }
  const run = {
    dry_run: false,
    ...inputs.names.run,
    id: context.runUuid,
    status: 'running',
    started_at: new Date(context.startedAt).toISOString(),
  }
  return {
    names: { ...inputs.names, run },
    locals: {},
    thread: { steps, nowMs: context.startedAt },
    deadline: { atMs: context.startedAt + playbook.timeoutMs, path: '', error: runTimedOut },
    shielded: false,
  }
}

/** What the end of the steps means for the run. The path of a failed step is kept in the details of the error. */
function endOfRun(playbook: Playbook | undefined, flow: Flow, scope: Scope): RunOutcome {
  if (flow.state === 'run_ends') return flow.outcome
  if (flow.state === 'failed') return failedRun(flow)
  const output = attempt(() => (playbook?.outputs ? valueOf(playbook.outputs, scope) : null))
  if ('error' in output) return failedRun({ state: 'failed', error: output.error, path: 'outputs' })
  return { status: 'completed', output: output.value, error: null }
}

function failedRun({ error, path }: Failed): RunOutcome {
  const details = path === '' ? error.details : { ...error.details, path }
  return { status: 'failed', output: null, error: details ? { ...error, details } : error }
}

function tooLate(deadline: Deadline): Failed {
  return { state: 'failed', error: deadline.error, path: deadline.path }
}

function defaultOf(step: Step, scope: Scope): unknown {
  return step.default === undefined ? undefined : valueOf(step.default, scope)
}

function hasForeach(step: Step): step is Step & { readonly foreach: Foreach } {
  return step.foreach !== undefined
}
