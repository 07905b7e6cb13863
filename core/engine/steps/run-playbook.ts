import { longestEndMs } from '../../playbook/scope/check-times.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { valueOf } from '../scope/evaluate.ts'
import type { Failed, Flow, RunOutcome } from '../scope/flow.ts'
import { finallyPath, inside, runErrorPath } from '../journal/paths.ts'
import { readsCase } from '../scope/run-case.ts'
import { withLocals, type Scope } from '../scope/scope.ts'
import { attempt, type Walk } from './walk.ts'

export const runTimedOut = { code: 'run_timeout', message: 'the time of the run was up' }

/** Steps, then `on_error` where a step failed, then `finally` whatever the end. `prefix`: of the call; empty for the run. */
export async function runPlaybook(
  walk: Walk,
  playbook: Playbook,
  prefix: string,
  scope: Scope,
): Promise<RunOutcome> {
  const flow = await walk.runSteps(playbook.steps, prefix, scope)
  const handled = flow.state === 'failed' ? await runOnError(walk, playbook, prefix, scope, flow) : undefined
  if (flow.state === 'completed' && playbook.outputs && readsCase(playbook.outputs)) await walk.openCase?.()
  const outcome = handled ?? endOf(playbook, flow, scope)
  return await runFinally(walk, playbook, prefix, scope, outcome)
}

/** Undefined: the failure stands. Only a `return` of the handler makes something else of it; a cancellation always does. */
async function runOnError(
  walk: Walk,
  playbook: Playbook,
  prefix: string,
  scope: Scope,
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
  scope: Scope,
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

function withEndTime(playbook: Playbook, scope: Scope): Scope {
  const atMs = scope.thread.nowMs + Math.min(playbook.timeoutMs, longestEndMs)
  return { ...scope, deadline: { atMs, path: finallyPath, error: runTimedOut } }
}

/** What the end of the steps means for the run. The path of a failed step is kept in the details of the error. */
function endOf(playbook: Playbook | undefined, flow: Flow, scope: Scope): RunOutcome {
  if (flow.state === 'run_ends') return flow.outcome
  if (flow.state === 'failed') return failedRun(flow)
  const output = attempt(() => (playbook?.outputs ? valueOf(playbook.outputs, scope) : null))
  if ('error' in output) return failedRun({ error: output.error, path: 'outputs' })
  return { status: 'completed', output: output.value, error: null }
}

export function failedRun({ error, path }: Pick<Failed, 'error' | 'path'>): RunOutcome {
  const details = path === '' ? error.details : { ...error.details, path }
  return { status: 'failed', output: null, error: details ? { ...error, details } : error }
}
