import type { SkillCaller } from '../engine/skills/skill-caller.ts'
import { RetryableError } from '../plugin/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Catalogue } from '../registry/catalogue.ts'

export interface SharedReadsOptions {
  readonly catalogue: Pick<Catalogue, 'skill'>
  /** The share of each rate limit of a connection, from 0 to 1. */
  readonly share: number
  readonly clock: Clock
  /** Longest wait for a part of the rate limit. */
  readonly maxWaitMs: number
}

/** Real time of one attempt. */
const attemptMs = 60_000
const longestPauseMs = 10_000

/**
 * A caller that calls only skills that read, within a share of the rate limits: it waits while the share is used up, and while
 * other calls wait.
 */
export function sharedReads(call: SkillCaller, options: SharedReadsOptions): SkillCaller {
  const { catalogue, share, clock, maxWaitMs } = options
  return async (given) => {
    const found = catalogue.skill(given.skill)?.skill
    // A second guard beside the replay, which asks for no other call.
    if (found?.effect !== 'read' || found.asks === true || given.purpose !== 'run')
      throw new Error(`a shadow may not call ${given.skill}`)
    const until = clock.now() + maxWaitMs
    for (;;) {
      // The deadline of the step is a time of the replay.
      const attempt = { ...given.attempt, deadlineMs: clock.now() + attemptMs }
      try {
        return await call({ ...given, attempt, budgetShare: share })
      } catch (error) {
        const pauseMs = heldBackMs(error)
        if (pauseMs === undefined || clock.now() + pauseMs > until) throw error
        await clock.sleep(pauseMs, given.attempt.signal)
      }
    }
  }
}

/** Until a request that was not sent may be tried again. */
function heldBackMs(error: unknown): number | undefined {
  if (!(error instanceof RetryableError) || error.code !== 'rate_limited') return undefined
  return Math.min(longestPauseMs, Math.max(1, error.retryAfterMs ?? longestPauseMs))
}
