import { longestEndMs } from '../../playbook/scope/check-times.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { templateValue } from '../scope/evaluate.ts'
import type { Failed, Flow, RunOutcome } from '../scope/flow.ts'
import { finallyPath, inside, outputsPath, runErrorPath } from '../journal/paths.ts'
import { programsIn } from '../../playbook/language/step-reads.ts'
import { withStateFor } from '../scope/state-reads.ts'
import { readsCase } from '../scope/run-case.ts'
import { withLocals, type StepScope } from '../scope/scope.ts'
import { attempt, type Walk } from './walk.ts'

export const runTimedOut = { code: 'run_timeout', message: 'the run timed out' }

/**
 * Runs the steps, `on_error` after a failure, and always `finally`. `prefix`: path of the call; empty for the
 * run.
 */
export async function runPlaybook(
  walk: Walk,
  playbook: Playbook,
  prefix: string,
  scope: StepScope,
): Promise<RunOutcome> {
  const flow = await walk.runSteps(playbook.steps, prefix, scope)
  const handled = flow.state === 'failed' ? await runOnError(walk, playbook, prefix, scope, flow) : undefined
  if (flow.state === 'completed' && playbook.outputs && readsCase(playbook.outputs)) await walk.openCase?.()
  const outcome = handled ?? (await outcomeOf(walk, playbook, prefix, scope, flow))
  return await runFinally(walk, playbook, prefix, scope, outcome)
}

async function outcomeOf(
  walk: Walk,
  playbook: Playbook,
  prefix: string,
  scope: StepScope,
  flow: Flow,
): Promise<RunOutcome> {
  const isOutput = flow.state === 'completed' && playbook.outputs !== undefined
  if (!isOutput) return endOf(playbook, flow, scope)
  const read = await withStateFor(walk, programsIn(playbook.outputs), inside(prefix, outputsPath), scope)
  return 'error' in read ? failedRun({ ...read, path: 'outputs' }) : endOf(playbook, flow, read.scope)
}

/** Undefined: the run stays failed. Only a `return` in the handler or a cancellation replaces it. */
async function runOnError(
  walk: Walk,
  playbook: Playbook,
  prefix: string,
  scope: StepScope,
  { error }: Failed,
): Promise<RunOutcome | undefined> {
  if (playbook.onError.length === 0) return undefined
  const inner = withEndTime(playbook, withLocals(scope, { error }))
  const flow = await walk.runSteps(playbook.onError, inside(prefix, runErrorPath), inner)
  return flow.state === 'run_ends' ? flow.outcome : undefined
}

async function runFinally(
  walk: Walk,
  playbook: Playbook,
  prefix: string,
  scope: StepScope,
  outcome: RunOutcome,
): Promise<RunOutcome> {
  if (playbook.finally.length === 0) return outcome
  const run = { ...(scope.names['run'] as object), status: outcome.status }
  const ending = withEndTime(playbook, withLocals(scope, { error: outcome.error }))
  const inner = { ...ending, names: { ...scope.names, run }, shielded: true }
  const flow = await walk.runSteps(playbook.finally, inside(prefix, finallyPath), inner)
  const ended = endOf(undefined, flow, inner)
  return outcome.status === 'completed' && ended.status !== 'completed' ? ended : outcome
}

function withEndTime(playbook: Playbook, scope: StepScope): StepScope {
  const atMs = scope.thread.nowMs + Math.min(playbook.timeoutMs, longestEndMs)
  return { ...scope, deadline: { atMs, path: finallyPath, error: runTimedOut } }
}

/** The outcome of the run. The error details contain the path of the failed step. */
function endOf(playbook: Playbook | undefined, flow: Flow, scope: StepScope): RunOutcome {
  if (flow.state === 'run_ends') return flow.outcome
  if (flow.state === 'failed') return failedRun(flow)
  const output = attempt(() => (playbook?.outputs ? templateValue(playbook.outputs, scope) : null))
  if ('error' in output) return failedRun({ error: output.error, path: 'outputs' })
  return { status: 'completed', output: output.value, error: null }
}

export function failedRun({ error, path }: Pick<Failed, 'error' | 'path'>): RunOutcome {
  const details = path === '' ? error.details : { ...error.details, path }
  return { status: 'failed', output: null, error: details ? { ...error, details } : error }
}
