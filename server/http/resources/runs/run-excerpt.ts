import type { FailedAttempt, Run } from '../../../../core/domain/run.ts'
import { TimeSlice } from '../../../../core/common/time-slice.ts'
import { stringifyJson } from '../../../../core/common/json.ts'
import type { ExcerptLimits } from '../../../../core/ports/runs/journal-store.ts'
import type { Services } from '../../routing/route.ts'
import { showRun } from './redact-run.ts'
import { runView, stepView } from './run-view.ts'

type View = Readonly<Record<string, unknown>>

/** Limits of one response; all responses together hold four of these. */
const limits: ExcerptLimits = { first: 4_000, newest: 1_000, bytes: 8_000_000 }

/** Replaces the input and the output of a large step. */
const leftOut = '[left out]'

/** A run with as many steps as fit into one response. */
export async function runExcerpt(run: Run, services: Services): Promise<View> {
  const { stores, directory } = services
  const { entries, emptied, failedAttempts, total } = await stores.journal.excerpt(run.uuid, limits)
  const { inputs, trigger, output, masked } = await showRun(run, services)
  const byPath = Map.groupBy(failedAttempts, (attempt: FailedAttempt) => attempt.path)
  const steps: View[] = []
  const turn = new TimeSlice()
  for (const entry of entries) {
    const view = stepView(masked(entry), byPath.get(entry.path) ?? [])
    steps.push(emptied.has(entry.path) ? { ...view, input: leftOut, output: leftOut } : view)
    if (turn.isLong) await turn.yieldToOthers()
  }
  const listed = await runView(run, directory)
  return { ...listed, inputs, trigger, output: withinAnswer(output(run.output)), steps, steps_total: total }
}

/** Steps have their own limit. */
const maxOutput = 2_000_000

function withinAnswer(output: unknown): unknown {
  const { length } = stringifyJson(output)
  return length <= maxOutput
    ? output
    : `[left out: ${length} characters of JSON, more than the limit of ${maxOutput}; use GET runs/{run}/events]`
}
