import { createHash } from 'node:crypto'
import type { RetryPolicy } from '../../playbook/language/playbook.ts'

/**
 * How long to wait before the next try, in milliseconds: exponential from `backoffMs`, spread by `jitter` so that runs which
 * failed together do not come back together, at least as long as the other system asked for, and never above `maxBackoffMs`.
 * The spread follows from run, path and attempt: a replay waits as long as the first time.
 */
export function retryDelayMs(
  retry: Pick<RetryPolicy, 'backoffMs' | 'factor' | 'maxBackoffMs' | 'jitter'>,
  failedAttempt: number,
  retryAfterMs: number | undefined,
  key: string,
): number {
  const { backoffMs, factor, maxBackoffMs, jitter } = retry
  const exponential = Math.min(backoffMs * factor ** (failedAttempt - 1), maxBackoffMs)
  const spread = fraction(`${key}#${failedAttempt}`)
  const wait = exponential * (1 - jitter + 2 * jitter * spread)
  // Never earlier than asked for.
  const asked = (retryAfterMs ?? 0) * (1 + (jitter / 2) * spread)
  return Math.ceil(Math.min(Math.max(wait, asked), maxBackoffMs))
}

/** 0 to 1, evenly spread, the same for the same text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
