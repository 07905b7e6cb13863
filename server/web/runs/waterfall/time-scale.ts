/** A stretch of time, in epoch milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Time in which nothing was done, drawn shorter than it was. Places are shares of the whole, 0 to 1. */
export interface Cut extends Span {
  readonly ms: number
}

export interface TimeScale {
  /** Place of a time, 0 to 1. */
  readonly at: (ms: number) => number
  readonly cuts: readonly Cut[]
}

/** So long time without work is drawn as it is, whatever else there is. */
const leastMs = 50
/** Of the time of all work: so long time without work is drawn at most. */
const share = 0.25

/**
 * Where times stand on a line from `from` to `to`. A run may wait for days between steps of milliseconds: what lies between `busy` stretches, and is
 * long beside them, is drawn shorter, and told as a cut.
 */
export function timeScale({ from, to }: Span, busy: readonly Span[]): TimeScale {
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

function gapsBetween({ from, to }: Span, busy: readonly Span[]): readonly Span[] {
  const gaps: Span[] = []
  let end = from
  for (const span of busy.toSorted((a, b) => a.from - b.from)) {
    if (span.from > end) gaps.push({ from: end, to: span.from })
    end = Math.max(end, span.to)
  }
  return to > end ? [...gaps, { from: end, to }] : gaps
}
