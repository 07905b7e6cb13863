import type { ApiEngine } from '../api/types.ts'

/** Load at one time. */
export interface EngineSample {
  readonly at: number
  readonly queued: number
  /** In the last minute. */
  readonly received: number
  /** In the last minute. */
  readonly ended: number
}

/** How long samples are kept. */
const historyMs = 10 * 60_000

export function sampleOf({ queued, organizations }: ApiEngine, at: number): EngineSample {
  return {
    at,
    queued,
    received: organizations.reduce((sum, each) => sum + each.received_per_minute, 0),
    ended: organizations.reduce((sum, each) => sum + each.ended_per_minute, 0),
  }
}

/** Adds a sample and removes old ones. */
export function addSample(samples: readonly EngineSample[], sample: EngineSample): readonly EngineSample[] {
  const last = samples.at(-1)
  if (last !== undefined && last.at >= sample.at) return samples
  return [...samples.filter(({ at }) => at > sample.at - historyMs), sample]
}
