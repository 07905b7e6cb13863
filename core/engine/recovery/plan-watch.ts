import type { SuspectRun } from '../../ports/runs/run-store.ts'

export interface WatchPlan {
  /** Longest time that each group is watched. */
  readonly watchMs: number
  /** The runs of one group begin together; the groups in this order. */
  readonly groups: readonly (readonly SuspectRun[])[]
  /**
   * Crash count of the members of a group while it is watched, so that after a crash they alone have the highest
   * count.
   */
  readonly markedCrashes: number
}

/** How long one run is watched after two crashes; doubled after each further crash. */
const firstWatchMs = 2_000
/** No other run begins meanwhile. Longer only if a single run needs it. */
const holdMs = 30_000
const longestHoldMs = 5 * 60_000
/** What one crash adds to the count of watched runs: one for the crash, the others from the mark. */
const perCrash = 3

/**
 * Plans how to find the run that crashes the process without blocking all others for long. Runs are watched one by
 * one if there is time for that; otherwise those with the highest crash count in as many groups as fit (at least
 * two), then all others.
 *
 * @param suspects oldest first
 */
export function planWatch(suspects: readonly SuspectRun[]): WatchPlan {
  const most = Math.max(2, ...suspects.map(({ crashes }) => crashes))
  const dueMs = Math.min(firstWatchMs * 2 ** Math.ceil((most - 2) / perCrash), longestHoldMs)
  const allMs = Math.max(holdMs, dueMs)
  const slots = Math.max(3, Math.floor(allMs / dueMs))
  const top = suspects.filter(({ crashes }) => crashes === most)
  const rest = suspects.filter(({ crashes }) => crashes < most)
  const groups =
    suspects.length <= slots ? split([...top, ...rest], slots) : [...split(top, slots - 1), ...split(rest, 1)]
  const watchMs = Math.min(dueMs, allMs / Math.max(1, groups.length))
  return { watchMs, groups, markedCrashes: most + perCrash - 1 }
}

/** At most this many parts. */
function split<T>(all: readonly T[], parts: number): T[][] {
  const size = Math.ceil(all.length / parts)
  return Array.from({ length: size && Math.ceil(all.length / size) }, (_, n) =>
    all.slice(n * size, (n + 1) * size),
  )
}
