import type { Node } from './document.ts'
import { readDuration, readFields, readNumber } from './fields.ts'
import { bounds, defaultRetry, grammar } from './grammar.ts'
import type { RetryPolicy } from './playbook.ts'
import type { Problems } from './problem.ts'

/** `retry`, with defaults for what it leaves out; undefined if it is no map. */
export function readRetry(problems: Problems, node: Node): RetryPolicy | undefined {
  const fields = readFields(problems, node, grammar.retry)
  if (fields === undefined) return undefined
  const max = fields.get('max')
  const backoff = fields.get('backoff')
  const factor = fields.get('factor')
  const maxBackoff = fields.get('max_backoff')
  return {
    max: (max && readNumber(problems, max, bounds.retryMax)) ?? defaultRetry.max,
    backoffMs: (backoff && readDuration(problems, backoff)) ?? defaultRetry.backoffMs,
    factor: (factor && readNumber(problems, factor, bounds.factor, false)) ?? defaultRetry.factor,
    maxBackoffMs: (maxBackoff && readDuration(problems, maxBackoff)) ?? defaultRetry.maxBackoffMs,
  }
}
