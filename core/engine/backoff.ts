import { createHash } from 'node:crypto'
import type { EffectWork } from './durable-context.ts'

/**
 * How long to wait before the next try, in milliseconds: exponential from `backoffMs`, spread by ±20 % so that runs which failed
 * together do not come back together, at least as long as the other system asked for, and never above `maxBackoffMs`. The
 * spread follows from run, path and attempt: a replay waits as long as the first time.
 */
export function retryDelayMs(
  retry: EffectWork['retry'],
  failedAttempt: number,
  retryAfterMs: number | undefined,
  key: string,
): number {
  const exponential = Math.min(retry.backoffMs * retry.factor ** (failedAttempt - 1), retry.maxBackoffMs)
  const spread = fraction(`${key}#${failedAttempt}`)
  const wait = exponential * (0.8 + 0.4 * spread)
  const asked = (retryAfterMs ?? 0) * (1 + 0.1 * spread)
  return Math.ceil(Math.min(Math.max(wait, asked), retry.maxBackoffMs))
}

/** 0 to 1, evenly spread, the same for the same text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
