import type { Step, StepState } from '../../api/types.ts'

/** One stretch of a step, in epoch milliseconds. */
interface Stretch {
  /** `failed`: a try that failed; `wait`: until the next try; else the state of the last try. */
  readonly kind: 'failed' | 'wait' | StepState
  readonly from: number
  readonly to: number
}

export interface WaterfallRow {
  readonly step: Step
  readonly stretches: readonly Stretch[]
}

export interface Waterfall {
  readonly from: number
  readonly to: number
  readonly rows: readonly WaterfallRow[]
}

/** When each step was tried, and what it waited for in between. What is under way reaches to `now`. */
export function waterfallOf(steps: readonly Step[], now: number): Waterfall {
  const rows = steps
    .filter(({ path }) => !path.includes('@playbooks/') && !path.endsWith('/@begin'))
    .map((step) => ({ step, stretches: stretchesOf(step, now) }))
  const all = rows.flatMap(({ stretches }) => stretches)
  const from = all.reduce((least, stretch) => Math.min(least, stretch.from), Infinity)
  const to = all.reduce((most, stretch) => Math.max(most, stretch.to), -Infinity)
  return Number.isFinite(from) ? { from, to: Math.max(to, from + 1), rows } : { from: now, to: now + 1, rows }
}

function stretchesOf(step: Step, now: number): readonly Stretch[] {
  const tries = step.failed_attempts
  const begin = lastBegin(step)
  const before = tries.flatMap(({ started_at: from, ended_at: to }, index): readonly Stretch[] => {
    const next = tries[index + 1]?.started_at ?? begin
    const failed: Stretch = { kind: 'failed', from, to }
    return next > to ? [failed, { kind: 'wait', from: to, to: next }] : [failed]
  })
  return [...before, { kind: step.state, from: begin, to: Math.max(begin, step.ended_at ?? now) }]
}

/** When the last try began: where the one before said that the next is due, else when that ended. */
function lastBegin({ failed_attempts: tries, started_at: first }: Step): number {
  const last = tries.at(-1)
  return last === undefined ? first : Math.max(last.retry_at ?? last.ended_at, first)
}

const waiting = new Set(['checkpoint', 'wait'])

/** Whether something was done then, and not waited for: for a time, for a person, for the next try. */
export function isBusy({ kind: of }: Step, { kind }: Stretch): boolean {
  return kind !== 'wait' && !waiting.has(of)
}
