import { SkillError } from 'tocsin/plugin'

const dayMs = 86_400_000
/** Maximum time between the booking and the start of a trip. */
export const longestLeadMs = 400 * dayMs
/** Tolerance: dates have no time zone, and people arrive a day early or leave a day late. */
const marginMs = dayMs

export interface WindowInput {
  readonly at?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly longest_trip_days?: number | undefined
}

/** Epoch milliseconds. */
export interface SearchWindow {
  /** Searched time: trips that overlap it match. */
  readonly fromMs: number
  readonly toMs: number
  /** Range of start times of bookings for these trips. */
  readonly startFromMs: number
  readonly startToMs: number
  /** Range of times at which these bookings may have been made. */
  readonly createdFromMs: number
  readonly createdToMs: number
}

/**
 * The windows to read for a question. Without a time, or with `at`, the searched time extends a day in both
 * directions. Bookings of one trip begin on different days, so more days are read on both sides. Throws
 * SkillError `invalid_time`.
 */
export function searchWindow(
  { at, from, to, longest_trip_days = 30 }: WindowInput,
  nowMs: number,
): SearchWindow {
  if (at !== undefined && (from !== undefined || to !== undefined)) {
    throw new SkillError('invalid_time', 'at cannot be given together with from or to', {
      hint: 'give `at` for trips at that time, or `from` and `to` for trips within a range',
    })
  }
  const [fromMs, toMs] = spanOf({ at, from, to }, nowMs)
  if (fromMs > toMs) throw new SkillError('invalid_time', `the range ends before it starts: ${from} to ${to}`)
  const aroundMs = longest_trip_days * dayMs
  const startFromMs = fromMs - aroundMs
  return {
    fromMs,
    toMs,
    startFromMs,
    startToMs: toMs + aroundMs,
    createdFromMs: startFromMs - longestLeadMs,
    createdToMs: Math.max(nowMs, toMs),
  }
}

function spanOf({ at, from, to }: WindowInput, nowMs: number): readonly [fromMs: number, toMs: number] {
  if (from === undefined && to === undefined) {
    const atMs = at === undefined ? nowMs : Date.parse(at)
    return [atMs - marginMs, atMs + marginMs]
  }
  // With one end only, the range extends to or from now, so it is always finite.
  const fromMs = from === undefined ? Math.min(nowMs, Date.parse(to ?? '')) : Date.parse(from)
  const toMs = to === undefined ? Math.max(nowMs, fromMs) : Date.parse(to)
  return [fromMs, toMs]
}
