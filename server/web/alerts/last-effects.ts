import type { Run, Step } from '../api/types.ts'

/** Something that an investigation did, or may have done, and that the next one may do again. */
export interface LastEffect {
  readonly path: string
  readonly skill: string
  readonly input: unknown
  readonly text: string
}

/** Of an alert the investigation that began last: not of the alert that it repeats. */
export function lastRun(id: string, runs: readonly Run[]): Run | undefined {
  return runs
    .filter(({ alert_id: about, started_at: from }) => about === id && from !== null)
    .toSorted((a, b) => b.created_at - a.created_at)[0]
}

/**
 * Writes of steps that took effect, or may have.
 *
 * @param reads names of the skills that only look something up; one that is not installed may have done anything
 */
export function lastEffects(steps: readonly Step[], reads: ReadonlySet<string>): readonly LastEffect[] {
  return steps.flatMap((step) => {
    const { path, kind: skill, input } = step
    // Other kinds of steps have no dot; a whole foreach has no input, and its items stand for themselves.
    if (!skill.includes('.') || reads.has(skill) || input === null) return []
    const text = effectText(step)
    return text === undefined ? [] : [{ path, skill, input, text }]
  })
}

function effectText({ state, failed_attempts: failed }: Step): string | undefined {
  if (state === 'completed') return 'Done'
  if (state === 'failed') return 'Failed; may still have taken effect'
  if (state === 'skipped' && failed.length === 0) return undefined
  return 'May have taken effect'
}
