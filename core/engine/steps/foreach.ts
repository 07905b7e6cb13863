import { TocsinError } from '../../plugin/index.ts'
import type { Foreach, Step } from '../../playbook/language/playbook.ts'
import { openBatch } from './batch.ts'
import { templateValue } from '../scope/evaluate.ts'
import { goesOn, joined, type Flow, type ItemView } from '../scope/flow.ts'
import { limited } from './limited.ts'
import { itemPath } from '../journal/paths.ts'
import { advance, fork, isOver, withLocals, type StepScope } from '../scope/scope.ts'
import { attempt, beginLate, rememberResult, type Walk } from './walk.ts'

type RunItem = (path: string, scope: StepScope) => Promise<Flow>

/**
 * Runs a step once per item. In sequence it stops at the first failed item (unless `on_item_error: continue`).
 * Concurrent items all run to their end before the step fails, so that the result does not depend on speed.
 */
export async function runForeach(
  walk: Walk,
  step: Step & { readonly foreach: Foreach },
  path: string,
  scope: StepScope,
  runItem: RunItem,
): Promise<Flow> {
  const { foreach } = step
  const startedAt = scope.thread.nowMs
  const listed = attempt(() => itemsOf(foreach, scope))
  if ('error' in listed) {
    return await rememberResult(walk, step, path, scope, () => ({ state: 'failed', error: listed.error }))
  }
  const batch = await openBatch(walk, step, listed.value, path, scope)
  const flows = await runItems(walk, step, listed.value, path, batch.scope, runItem)
  if (flows.length < listed.value.length) await batch.release()
  const items = flows.map(itemView)
  const stop =
    foreach.onItemError === 'fail' ? joined(flows) : flows.find((flow) => flow.state === 'run_ends')
  if (stop?.state === 'run_ends') return stop

  const failed = items.filter((item) => item.status === 'failed').length
  const record = { items: listed.value.length, failed }
  const evaluate = () => stop ?? { state: 'completed' as const, output: record }
  const recorded = await rememberResult(walk, step, path, scope, evaluate, startedAt)
  if (recorded.state !== 'completed') return stop ? { ...stop, items } : recorded
  const unknown = flows.map(outputUnknownOf).find((by) => by !== undefined)
  if (unknown !== undefined) return { state: 'completed', output: undefined, items, outputUnknown: unknown }
  return { state: 'completed', output: outputsOf(step, flows), items }
}

const outputUnknownOf = (flow: Flow) => (flow.state === 'completed' ? flow.outputUnknown : undefined)

/** Actions that always have an output. */
const outputs: ReadonlySet<Step['action']> = new Set(['uses', 'set', 'state', 'checkpoint', 'call'])

/** The outputs of completed items, in order. A group has none unless it declares one. */
function outputsOf(step: Step, flows: readonly Flow[]): readonly unknown[] | undefined {
  if (!outputs.has(step.action) && !('output' in step && step.output !== undefined)) return undefined
  return flows.filter((flow) => flow.state === 'completed').map((flow) => flow.output)
}

function itemsOf(foreach: Foreach, scope: StepScope): readonly unknown[] {
  const items = templateValue(foreach.items, scope)
  if (!Array.isArray(items)) {
    throw new TocsinError(
      'foreach_not_a_list',
      `foreach needs a list and got ${items === null ? 'null' : typeof items}`,
    )
  }
  if (items.length > foreach.maxItems) {
    const hint = 'filter the list, or raise max_items'
    throw new TocsinError(
      'foreach_too_many',
      `foreach has ${items.length} items, at most ${foreach.maxItems} are allowed`,
      {
        hint,
      },
    )
  }
  return items
}

async function runItems(
  walk: Walk,
  { id, foreach }: Step & { readonly foreach: Foreach },
  items: readonly unknown[],
  path: string,
  scope: StepScope,
  runItem: RunItem,
): Promise<readonly Flow[]> {
  const run = async (index: number, isLate = false) => {
    const here = itemPath(path, index)
    const branch = fork(withLocals(scope, { [foreach.as]: items[index], index }))
    if (isLate) await beginLate(walk, here, id, branch)
    const flow = await runItem(here, branch)
    return { flow, endedAt: branch.thread.nowMs }
  }
  if (foreach.concurrency > 1) {
    const ended = await limited(items.length, foreach.concurrency, (index) =>
      run(index, index >= foreach.concurrency),
    )
    for (const { endedAt } of ended) advance(scope, endedAt)
    return ended.map(({ flow }) => flow)
  }
  const flows: Flow[] = []
  for (const index of items.keys()) {
    const { flow, endedAt } = await run(index)
    flows.push(flow)
    advance(scope, endedAt)
    if (flow.state === 'run_ends' || (foreach.onItemError === 'fail' && !goesOn(flow))) break
    if (isOver(scope.deadline, scope)) {
      const { error, path } = scope.deadline
      return [...flows, { state: 'failed', error, path }]
    }
  }
  return flows
}

function itemView(flow: Flow, index: number): ItemView {
  switch (flow.state) {
    case 'completed':
      return { index, status: 'completed', ...(flow.output === undefined ? {} : { output: flow.output }) }
    case 'skipped':
    case 'run_ends':
      return { index, status: 'skipped' }
    case 'failed':
    case 'handled':
      return { index, status: 'failed', error: flow.error }
  }
}
