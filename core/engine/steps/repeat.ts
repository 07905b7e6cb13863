import type { Author } from '../../domain/audit.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { RepeatSettings, Step } from '../../playbook/language/playbook.ts'
import { holds, outputUnknown } from '../scope/evaluate.ts'
import { fromOutcome, type Flow } from '../scope/flow.ts'
import { repeatPath, untilPath, waitPath } from '../journal/paths.ts'
import { advance, forget, withLocals, type StepScope } from '../scope/scope.ts'
import { withState, withStateFor } from '../scope/state-reads.ts'
import { attempt, rememberResult, type Walk } from './walk.ts'

/** Repeats a step until its condition holds; fails if it never does. Its output is that of the last iteration. */
export async function runRepeated(
  walk: Walk,
  step: Step & { readonly repeat: RepeatSettings },
  path: string,
  outer: StepScope,
  runOnce: (path: string, scope: StepScope) => Promise<Flow>,
): Promise<Flow> {
  const { everyMs } = step.repeat
  const startedAt = outer.thread.nowMs
  for (let time = 1; ; time++) {
    const here = repeatPath(path, time)
    forget(step, outer)
    const read = await withState(walk, step, here, outer)
    if ('error' in read) {
      const { error } = read
      return await rememberResult(walk, step, path, outer, () => ({ state: 'failed', error }), startedAt)
    }
    const { scope } = read
    const flow = await runOnce(here, scope)
    if (flow.state === 'failed') {
      return { ...flow, ...(await rememberResult(walk, step, path, scope, () => flow, startedAt)) }
    }
    if (flow.state !== 'completed') return flow
    const met = await isMet(walk, step, { path: here, time, flow }, scope)
    if ('error' in met) {
      return await rememberResult(
        walk,
        step,
        path,
        scope,
        () => ({ state: 'failed', error: met.error }),
        startedAt,
      )
    }
    if (met.value) {
      const record = { times: time }
      await rememberResult(walk, step, path, scope, () => ({ state: 'completed', output: record }), startedAt)
      return flow
    }
    const waited = await pause(walk, here, everyMs, scope)
    if (waited.state !== 'completed') return waited
  }
}

interface Round {
  readonly path: string
  readonly time: number
  readonly flow: Extract<Flow, { readonly state: 'completed' }>
}

/** Whether the condition holds after a round; it sees the state as of then. */
async function isMet(
  walk: Walk,
  { id, repeat: { until, max } }: Step & { readonly repeat: RepeatSettings },
  { path, time, flow }: Round,
  outer: StepScope,
): Promise<ReturnType<typeof attempt<boolean>>> {
  const read = await withStateFor(walk, [until], untilPath(path), outer)
  if ('error' in read) return read
  const { scope } = read
  const { output, outputUnknown: by } = flow
  return attempt(() => {
    const here = output === undefined ? scope : withLocals(scope, { output })
    if (by === undefined ? holds(until, here) : holdsWithoutOutput(until, here, id ?? path, by)) return true
    if (time < max) return false
    throw new TocsinError('repeat_exhausted', `the condition did not become true in ${max} iterations`, {
      hint: 'raise `max`, or handle the failure with on_error',
    })
  })
}

/** Most conditions read `output`, which does not exist here. */
function holdsWithoutOutput(
  until: RepeatSettings['until'],
  scope: StepScope,
  step: string,
  by: Author,
): boolean {
  try {
    return holds(until, scope)
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    throw outputUnknown(step, by, 'let `until` read something else')
  }
}

async function pause(walk: Walk, path: string, everyMs: number, scope: StepScope): Promise<Flow> {
  const outcome = await walk.context.sleep({
    path: waitPath(path),
    stepId: null,
    kind: 'wait',
    untilMs: () => scope.thread.nowMs + everyMs,
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
  })
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}
