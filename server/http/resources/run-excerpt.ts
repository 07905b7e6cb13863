import { setImmediate } from 'node:timers/promises'
import type { FailedAttempt, Run } from '../../../core/domain/run.ts'
import type { ExcerptLimits } from '../../../core/ports.ts'
import type { Services } from '../route.ts'
import { kindsIn } from './kinds-in.ts'
import { showRun } from './redact-run.ts'
import { runView, stepView } from './run-view.ts'

type View = Readonly<Record<string, unknown>>

/** Of one answer: of all answers four such are kept at once. */
const limits: ExcerptLimits = { first: 4_000, newest: 1_000, bytes: 8_000_000 }

/** Stands where the input and the output of a step would. */
const leftOut = '[left out]'

/** After so many milliseconds others are served. */
const maxHoldMs = 20

/** A run with as many of its steps as fit into one answer. */
export async function runExcerpt(run: Run, services: Services): Promise<View> {
  const { stores, directory, catalogue } = services
  const { entries, emptied, failedAttempts, total } = await stores.journal.excerpt(run.uuid, limits)
  // Of these all: what is sensitive in a step that is left out may stand in the others.
  const sensitive = await stores.journal.entriesOf(run.uuid, kindsIn(catalogue).sensitive)
  const { inputs, redacted, masked } = await showRun(run, sensitive, services)
  const byPath = Map.groupBy(failedAttempts, (attempt: FailedAttempt) => attempt.path)
  const steps: View[] = []
  let from = performance.now()
  for (const entry of entries) {
    const view = redacted(stepView(masked(entry), byPath.get(entry.path) ?? []))
    steps.push(emptied.has(entry.path) ? { ...view, input: leftOut, output: leftOut } : view)
    if (performance.now() - from < maxHoldMs) continue
    await setImmediate()
    from = performance.now()
  }
  const whole = redacted({ ...(await runView(run, directory)), inputs, output: run.output ?? null })
  return { ...whole, steps, steps_total: total }
}
