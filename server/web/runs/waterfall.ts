import type { StepState } from '../../../core/domain/run.ts'
import type { ApiStep } from '../api/types.ts'

/** Part of a step, in epoch milliseconds. */
interface Stretch {
  /** `failed`: a failed attempt; `wait`: the delay before the next; else the state of the last attempt. */
  readonly kind: 'failed' | 'wait' | StepState
  readonly from: number
  readonly to: number
}

export interface WaterfallRow {
  readonly step: ApiStep
  readonly stretches: readonly Stretch[]
}

export interface Waterfall {
  readonly from: number
  readonly to: number
  readonly rows: readonly WaterfallRow[]
}

/** Attempts and delays of each step. Running steps end at `now`. */
export function waterfallOf(steps: readonly ApiStep[], now: number): Waterfall {
  const rows = steps
    .filter(({ path }) => !path.includes('@playbooks/') && !/\/@(begin|output)$/.test(path))
    .map((step) => ({ step, stretches: stretchesOf(step, now) }))
  const all = rows.flatMap(({ stretches }) => stretches)
  const from = all.reduce((least, stretch) => Math.min(least, stretch.from), Infinity)
  const to = all.reduce((most, stretch) => Math.max(most, stretch.to), -Infinity)
  return Number.isFinite(from) ? { from, to: Math.max(to, from + 1), rows } : { from: now, to: now + 1, rows }
}

function stretchesOf(step: ApiStep, now: number): readonly Stretch[] {
  const tries = step.failed_attempts
  const begin = lastBegin(step)
  const before = tries.flatMap(({ started_at: from, ended_at: to }, index): readonly Stretch[] => {
    const next = tries[index + 1]?.started_at ?? begin
    const failed: Stretch = { kind: 'failed', from, to }
    return next > to ? [failed, { kind: 'wait', from: to, to: next }] : [failed]
  })
  return [...before, { kind: step.state, from: begin, to: Math.max(begin, step.ended_at ?? now) }]
}

/** When the last attempt began: not before it was due. */
function lastBegin({ failed_attempts: tries, started_at: first }: ApiStep): number {
  const last = tries.at(-1)
  return last === undefined ? first : Math.max(last.retry_at, first)
}

const waiting = new Set(['checkpoint', 'wait', 'rate'])

/** Whether the step worked at that time, rather than waiting. */
export function isBusy({ kind: of }: ApiStep, { kind }: Stretch): boolean {
  return kind !== 'wait' && !waiting.has(of)
}

/** In epoch milliseconds. */
export interface TimeStretch {
  readonly from: number
  readonly to: number
}

/** An idle period, drawn shorter than it was. Positions are from 0 to 1. */
export interface IdleCut extends TimeStretch {
  readonly ms: number
}

export interface TimeScale {
  /** Position of a time, from 0 to 1. */
  readonly at: (ms: number) => number
  readonly cuts: readonly IdleCut[]
}

/** Idle periods up to this length are always to scale. */
const leastMs = 50
/** Longest drawn idle period, as a share of the working time. */
const share = 0.25

/**
 * Positions of times between `from` and `to`. Long idle periods between the `busy` ones are shortened,
 * because a run may wait for days.
 */
export function timeScale({ from, to }: TimeStretch, busy: readonly TimeStretch[]): TimeScale {
  const idle = gapsBetween({ from, to }, busy)
  const work = to - from - idle.reduce((sum, gap) => sum + gap.to - gap.from, 0)
  const longest = Math.max(leastMs, work * share)
  const long = idle.filter((gap) => gap.to - gap.from > longest)
  const drawn = to - from - long.reduce((sum, gap) => sum + gap.to - gap.from - longest, 0)
  const at = (ms: number): number => {
    let place = ms - from
    for (const gap of long) {
      if (ms <= gap.from) break
      const passed = Math.min(ms, gap.to) - gap.from
      place -= passed - (passed / (gap.to - gap.from)) * longest
    }
    return Math.max(0, Math.min(1, place / drawn))
  }
  return { at, cuts: long.map((gap) => ({ from: at(gap.from), to: at(gap.to), ms: gap.to - gap.from })) }
}

function gapsBetween({ from, to }: TimeStretch, busy: readonly TimeStretch[]): readonly TimeStretch[] {
  const gaps: TimeStretch[] = []
  let end = from
  for (const span of busy.toSorted((a, b) => a.from - b.from)) {
    if (span.from > end) gaps.push({ from: end, to: span.from })
    end = Math.max(end, span.to)
  }
  return to > end ? [...gaps, { from: end, to }] : gaps
}
