import type { Engine } from './engine.ts'

/** How much was going on at a time. */
export interface EngineSample {
  readonly at: number
  /** Runs that wait for their first turn. */
  readonly queued: number
  /** Alerts within the minute before. */
  readonly received: number
  /** Runs that ended within the minute before. */
  readonly ended: number
}

/** So far back samples are kept. */
const historyMs = 10 * 60_000

export function sampleOf({ queued, organizations }: Engine, at: number): EngineSample {
  return {
    at,
    queued,
    received: organizations.reduce((sum, each) => sum + each.received_per_minute, 0),
    ended: organizations.reduce((sum, each) => sum + each.ended_per_minute, 0),
  }
}

/** The samples with one more, without those that are too old and what was known before. */
export function remember(samples: readonly EngineSample[], sample: EngineSample): readonly EngineSample[] {
  const last = samples.at(-1)
  if (last !== undefined && last.at >= sample.at) return samples
  return [...samples.filter(({ at }) => at > sample.at - historyMs), sample]
}
