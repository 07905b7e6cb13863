import type { ApiRun, ApiStep } from '../api/types.ts'

/** An action of an investigation that the next one may repeat. */
export interface LastEffect {
  readonly path: string
  readonly skill: string
  readonly input: unknown
  readonly text: string
}

/** The last investigation of the alert itself, not of the alert that it repeats. */
export function lastRun(id: string, runs: readonly ApiRun[]): ApiRun | undefined {
  return runs
    .filter(({ alert_id: about, started_at: from }) => about === id && from !== null)
    .toSorted((a, b) => b.created_at - a.created_at)[0]
}

/**
 * Writes of steps that took effect, or may have.
 *
 * @param reads names of read-only skills; a missing skill counts as a write
 */
export function previousEffects(
  steps: readonly ApiStep[],
  reads: ReadonlySet<string>,
): readonly LastEffect[] {
  return steps.flatMap((step) => {
    const { path, kind: skill, input } = step
    // Kinds of steps without a skill have no dot. A foreach has no input; its items have.
    if (!skill.includes('.') || reads.has(skill) || input === null) return []
    const text = effectText(step)
    return text === undefined ? [] : [{ path, skill, input, text }]
  })
}

function effectText({ state, failed_attempts: failed }: ApiStep): string | undefined {
  if (state === 'completed') return 'Done'
  if (state === 'failed') return 'Failed; may still have taken effect'
  if (state === 'skipped' && failed.length === 0) return undefined
  return 'May have taken effect'
}
