import type { GroupStep, ParallelStep, SwitchStep } from '../../playbook/language/playbook.ts'
import { holds, templateValue } from '../scope/evaluate.ts'
import { joined, type Flow } from '../scope/flow.ts'
import { limited } from './limited.ts'
import { inside, outputsPath } from '../journal/paths.ts'
import { programsIn } from '../../playbook/language/step-reads.ts'
import { earlierDeadline, fork, isOver, join, type StepScope } from '../scope/scope.ts'
import { withStateFor } from '../scope/state-reads.ts'
import { attempt, beginLate, rememberResult, type Walk } from './walk.ts'

type Group = GroupStep | ParallelStep | SwitchStep

/** The end of a group, and the case that a `switch` took. */
interface GroupEnd {
  readonly flow: Flow
  readonly taken?: number | 'else' | null
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
  const read = flow.state === 'failed' ? { scope: inner } : await outputScope(walk, step, path, inner)
  const recorded = await rememberResult(
    walk,
    step,
    path,
    scope,
    () => {
      if (flow.state === 'failed') return flow
      if ('error' in read) return { state: 'failed', error: read.error }
      return { state: 'completed', output: recordOf(step, end, read.scope) }
    },
    startedAt,
    step.sensitive?.output,
  )
  if (recorded.state === 'completed') return { state: 'completed', output: outputOf(step, recorded.output) }
  return flow.state === 'failed' ? flow : recorded
}

/** The output sees the state as of the end of the steps. */
const outputScope = (walk: Walk, { output }: Group, path: string, scope: StepScope) =>
  withStateFor(walk, programsIn(output), inside(path, outputsPath), scope)

/** The output, and for a `switch` also the case. */
function recordOf(step: Group, { taken }: GroupEnd, scope: StepScope): unknown {
  const output = step.output === undefined ? undefined : { output: templateValue(step.output, scope) }
  return step.action === 'switch' ? { case: taken, ...output } : (output?.output ?? null)
}

/** Undefined if the group declares none. */
function outputOf(step: Group, record: unknown): unknown {
  if (step.output === undefined) return undefined
  return step.action === 'switch' ? (record as { readonly output: unknown }).output : record
}

async function runInside(walk: Walk, step: Group, path: string, scope: StepScope): Promise<GroupEnd> {
  switch (step.action) {
    case 'steps':
      return { flow: await walk.runSteps(step.steps, path, scope) }
    case 'parallel':
      return { flow: await runParallel(walk, step, path, scope) }
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
  if ('error' in choice) return { flow: { state: 'failed', error: choice.error, path } }
  const chosen = step.cases[choice.value]
  const name = chosen ? String(choice.value) : 'else'
  const steps = chosen?.steps ?? step.else
  const flow = await walk.runSteps(steps, inside(path, name), scope)
  return { flow, taken: chosen ? choice.value : steps.length > 0 ? 'else' : null }
}
