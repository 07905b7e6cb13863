import type { SuspectRun } from '../../ports/runs/run-store.ts'

export interface WatchPlan {
  /** How long each group is watched, at most. */
  readonly watchMs: number
  /** Those taken up at once, in this order. */
  readonly groups: readonly (readonly SuspectRun[])[]
  /** What members of a group count as crashes while it is watched: a crash then puts them, and nobody else, on top. */
  readonly markedCrashes: number
}

/** How long one run is watched after two crashes; twice as long after each further one. */
const firstWatchMs = 2_000
/** Nothing else begins meanwhile. Longer only where a single run is due longer. */
const holdMs = 30_000
const longestHoldMs = 5 * 60_000
/** What a crash adds for those that were watched: one for being left behind, the others for the mark. */
const perCrash = 3

/**
 * How to find the run that brings the process down without holding up all others for long: one by one where there is time for that; else
 * those of the last crash (the most `crashes`) in as many groups as there is time for, two at least, and all others after them.
 *
 * `suspects`: the oldest first.
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

/** In so many parts, or fewer. */
function split<T>(all: readonly T[], parts: number): T[][] {
  const size = Math.ceil(all.length / parts)
  return Array.from({ length: size && Math.ceil(all.length / size) }, (_, n) =>
    all.slice(n * size, (n + 1) * size),
  )
}
