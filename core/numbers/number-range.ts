export const [hourMs, dayMs] = [3_600_000, 86_400_000] as const

/** Length of a period of roll-ups, in milliseconds. */
export type NumberPeriod = typeof hourMs | typeof dayMs

/** How long hours are kept; days are kept forever. */
export const keptHoursMs = 35 * dayMs
/** Longest range that is shown by the hour. */
const maxHoursMs = 8 * dayMs

/** Whole periods in UTC. */
export interface NumberRange {
  /** Epoch milliseconds. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly period: NumberPeriod
}

/** The range in whole periods: hours for up to 8 days of the last 35, else days. */
export function numberRange(from: number, to: number, now: number): NumberRange {
  const period = to - from <= maxHoursMs && from >= now - keptHoursMs ? hourMs : dayMs
  return {
    period,
    from: Math.floor(from / period) * period,
    to: Math.ceil(to / period) * period,
  }
}
