import type { GroupStep, ParallelStep, SwitchStep } from '../../playbook/language/playbook.ts'
import { holds } from '../scope/evaluate.ts'
import { joined, type Flow } from '../scope/flow.ts'
import { limited } from './limited.ts'
import { inside } from '../journal/paths.ts'
import { earlierDeadline, fork, isOver, join, type StepScope } from '../scope/scope.ts'
import { attempt, beginLate, rememberResult, type Walk } from './walk.ts'

type Group = GroupStep | ParallelStep | SwitchStep

/** The end of a group, and the data to record. */
interface GroupEnd {
  readonly flow: Flow
  readonly record: unknown
}

/** Runs the steps of a group with its timeout, and records its end. */
export async function runGroup(walk: Walk, step: Group, path: string, scope: StepScope): Promise<Flow> {
  const startedAt = scope.thread.nowMs
  const inner =
    step.timeoutMs === undefined
      ? scope
      : { ...scope, deadline: earlierDeadline(scope, step.timeoutMs, path, `the steps of '${path}'`) }
  const end = await runInside(walk, step, path, inner)
  // The deadline may also have passed in the last step or in a branch.
  const flow: Flow =
    end.flow.state !== 'run_ends' && inner !== scope && isOver(inner.deadline, inner)
      ? { state: 'failed', error: inner.deadline.error, path: inner.deadline.path }
      : end.flow
  if (flow.state === 'run_ends') return flow
  const recorded = await rememberResult(
    walk,
    step,
    path,
    scope,
    () => (flow.state === 'failed' ? flow : { state: 'completed', output: end.record }),
    startedAt,
  )
  return recorded.state === 'completed' ? { state: 'completed', output: undefined } : flow
}

async function runInside(walk: Walk, step: Group, path: string, scope: StepScope): Promise<GroupEnd> {
  switch (step.action) {
    case 'steps':
      return { flow: await walk.runSteps(step.steps, path, scope), record: null }
    case 'parallel':
      return { flow: await runParallel(walk, step, path, scope), record: null }
    case 'switch':
      return await runSwitch(walk, step, path, scope)
  }
}

/** All branches run to their end; then the step fails if any of them did. */
async function runParallel(walk: Walk, step: ParallelStep, path: string, scope: StepScope): Promise<Flow> {
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

/** Records which case was chosen: its index, `else`, or null. */
async function runSwitch(walk: Walk, step: SwitchStep, path: string, scope: StepScope): Promise<GroupEnd> {
  const choice = attempt(() => step.cases.findIndex((each) => holds(each.when, scope)))
  if ('error' in choice) return { flow: { state: 'failed', error: choice.error, path }, record: null }
  const chosen = step.cases[choice.value]
  const name = chosen ? String(choice.value) : 'else'
  const steps = chosen?.steps ?? step.else
  const flow = await walk.runSteps(steps, inside(path, name), scope)
  return { flow, record: { case: chosen ? choice.value : steps.length > 0 ? 'else' : null } }
}
