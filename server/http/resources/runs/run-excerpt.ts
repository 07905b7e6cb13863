import type { FailedAttempt, Run } from '../../../../core/domain/run.ts'
import { HeldTurn } from '../../../../core/common/held-turn.ts'
import { stringifyJson } from '../../../../core/common/json.ts'
import type { ExcerptLimits } from '../../../../core/ports/runs/journal-store.ts'
import type { Services } from '../../routing/route.ts'
import { showRun } from './redact-run.ts'
import { runView, stepView } from './run-view.ts'

type View = Readonly<Record<string, unknown>>

/** Of one answer: of all answers four such are kept at once. */
const limits: ExcerptLimits = { first: 4_000, newest: 1_000, bytes: 8_000_000 }

/** Stands where the input and the output of a step would. */
const leftOut = '[left out]'

/** A run with as many of its steps as fit into one answer. */
export async function runExcerpt(run: Run, services: Services): Promise<View> {
  const { stores, directory } = services
  const { entries, emptied, failedAttempts, total } = await stores.journal.excerpt(run.uuid, limits)
  const { inputs, output, masked } = await showRun(run, services)
  const byPath = Map.groupBy(failedAttempts, (attempt: FailedAttempt) => attempt.path)
  const steps: View[] = []
  const turn = new HeldTurn()
  for (const entry of entries) {
    const view = stepView(masked(entry), byPath.get(entry.path) ?? [])
    steps.push(emptied.has(entry.path) ? { ...view, input: leftOut, output: leftOut } : view)
    if (turn.isLong) await turn.giveWay()
  }
  const listed = await runView(run, directory)
  return { ...listed, inputs, output: withinAnswer(output(run.output)), steps, steps_total: total }
}

/** Those of steps are bounded on their own. */
const maxOutput = 2_000_000

function withinAnswer(output: unknown): unknown {
  const { length } = stringifyJson(output)
  return length <= maxOutput
    ? output
    : `[left out: ${length} characters of JSON, of which an answer has ${maxOutput} at most; GET runs/{run}/events tells it whole]`
}
