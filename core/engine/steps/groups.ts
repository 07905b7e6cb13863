import type { GroupStep, ParallelStep, SwitchStep } from '../../playbook/language/playbook.ts'
import { holds } from '../scope/evaluate.ts'
import { joined, type Flow } from '../scope/flow.ts'
import { limited } from './limited.ts'
import { inside } from '../journal/paths.ts'
import { fork, isOver, join, type Deadline, type Scope } from '../scope/scope.ts'
import { attempt, beginLate, remember, type Walk } from './walk.ts'

type Group = GroupStep | ParallelStep | SwitchStep

/** What a group came to, and what is worth recording about it. */
interface GroupEnd {
  readonly flow: Flow
  readonly record: unknown
}

/** Runs the steps of a group under its timeout, and records that it ended: after its steps, in one write. */
export async function runGroup(walk: Walk, step: Group, path: string, scope: Scope): Promise<Flow> {
  const startedAt = scope.thread.nowMs
  const inner = step.timeoutMs === undefined ? scope : { ...scope, deadline: deadlineOf(step, path, scope) }
  const end = await runInside(walk, step, path, inner)
  // The deadline may also have passed with the last step, or in a branch.
  const flow: Flow =
    end.flow.state !== 'run_ends' && inner !== scope && isOver(inner.deadline, inner)
      ? { state: 'failed', error: inner.deadline.error, path: inner.deadline.path }
      : end.flow
  if (flow.state === 'run_ends') return flow
  const recorded = await remember(
    walk,
    step,
    path,
    scope,
    () => (flow.state === 'failed' ? flow : { state: 'completed', output: end.record }),
    startedAt,
  )
  return recorded.state === 'completed' ? { state: 'completed', output: undefined } : flow
}

function deadlineOf(step: Group, path: string, scope: Scope): Deadline {
  const timeoutMs = step.timeoutMs ?? Infinity
  const atMs = scope.thread.nowMs + timeoutMs
  if (atMs >= scope.deadline.atMs) return scope.deadline
  const message = `the steps of '${path}' took longer than ${timeoutMs / 1000} s`
  return { atMs, path, error: { code: 'step_timeout', message, details: { timeout_ms: timeoutMs } } }
}

async function runInside(walk: Walk, step: Group, path: string, scope: Scope): Promise<GroupEnd> {
  switch (step.action) {
    case 'steps':
      return { flow: await walk.runSteps(step.steps, path, scope), record: null }
    case 'parallel':
      return { flow: await runParallel(walk, step, path, scope), record: null }
    case 'switch':
      return await runSwitch(walk, step, path, scope)
  }
}

/** All branches run to their end, whatever becomes of the others; then the step fails if any of them did. */
async function runParallel(walk: Walk, step: ParallelStep, path: string, scope: Scope): Promise<Flow> {
  const branches = step.steps.map((branch) => ({ step: branch, scope: fork(scope) }))
  const flows = await limited(branches.length, step.concurrency, async (index) => {
    const branch = branches[index]!
    if (index >= step.concurrency) {
      await beginLate(walk, inside(path, branch.step.key), branch.step.id, branch.scope)
    }
    return await walk.runStep(branch.step, path, branch.scope)
  })
  for (const branch of branches) join(scope, branch.scope, branch.step)
  return joined(flows) ?? { state: 'completed', output: undefined }
}

/** The record says which case was taken: its index, `else`, or null. */
async function runSwitch(walk: Walk, step: SwitchStep, path: string, scope: Scope): Promise<GroupEnd> {
  const choice = attempt(() => step.cases.findIndex((each) => holds(each.when, scope)))
  if ('error' in choice) return { flow: { state: 'failed', error: choice.error, path }, record: null }
  const chosen = step.cases[choice.value]
  const name = chosen ? String(choice.value) : 'else'
  const steps = chosen?.steps ?? step.else
  const flow = await walk.runSteps(steps, inside(path, name), scope)
  return { flow, record: { case: chosen ? choice.value : steps.length > 0 ? 'else' : null } }
}
