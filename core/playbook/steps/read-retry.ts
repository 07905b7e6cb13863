import { suggestNearest } from '../language/did-you-mean.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { describe, readDuration, readFields, readNumber, readText } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import { bounds, defaultRetry, errorCodePattern, transientErrors } from '../language/constants.ts'
import type { RetryPolicy } from '../language/playbook.ts'
import { quote, type Problems } from '../language/problem.ts'

/** Reads `retry` with defaults; undefined if it is not a map. */
export function readRetry(problems: Problems, node: Node): RetryPolicy | undefined {
  const fields = readFields(problems, node, grammar.retry)
  if (fields === undefined) return undefined
  const max = fields.get('max')
  const backoff = fields.get('backoff')
  const factor = fields.get('factor')
  const maxBackoff = fields.get('max_backoff')
  const jitter = fields.get('jitter')
  const on = fields.get('on')
  return {
    max: (max && readNumber(problems, max, bounds.retryMax)) ?? defaultRetry.max,
    backoffMs: (backoff && readDuration(problems, backoff)) ?? defaultRetry.backoffMs,
    factor: (factor && readNumber(problems, factor, bounds.factor, false)) ?? defaultRetry.factor,
    maxBackoffMs: (maxBackoff && readDuration(problems, maxBackoff)) ?? defaultRetry.maxBackoffMs,
    jitter: (jitter && readJitter(problems, jitter)) ?? defaultRetry.jitter,
    on: on && readCodes(problems, on),
  }
}

function readJitter(problems: Problems, entry: Entry): number | undefined {
  const { value } = entry
  if (value.kind !== 'scalar' || typeof value.value !== 'boolean') {
    return readNumber(problems, entry, bounds.jitter, false)
  }
  const hint = value.value ? 'write jitter: 0.2, which spreads each wait by 20 %' : 'write jitter: 0'
  problems.add('E106', `expected a number for \`jitter\`, found ${describe(value)}`, value, hint)
  return undefined
}

/** Reads `on`: codes of transient errors. Other errors are never retried, so naming them is a mistake. */
function readCodes(problems: Problems, { name, key, value }: Entry): readonly string[] | undefined {
  if (value.kind !== 'list' || value.items.length === 0) {
    const word =
      value.kind === 'scalar' && value.value !== null ? (meant(value.value) ?? value.value) : undefined
    const hint =
      value.kind === 'list'
        ? 'leave it out to retry all transient errors, or write max: 0'
        : `write [${word ?? 'http_429, network_error'}]`
    problems.add(
      'E106',
      `expected a list of error codes for \`on\`, found ${describeList(value)}`,
      value,
      hint,
    )
    return undefined
  }
  const codes = value.items.map((item) => readCode(problems, { name, key, value: item }))
  return codes.filter((code) => code !== undefined)
}

const describeList = (node: Node): string => (node.kind === 'list' ? 'an empty list' : describe(node))

const isCode = new RegExp(errorCodePattern)
const isServerError = /^http_5\d\d$/

function readCode(problems: Problems, entry: Entry): string | undefined {
  const { value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'number') {
    const hint = `write http_${value.value}`
    problems.add('E106', `expected a string for an error code, found ${describe(value)}`, value, hint)
    return undefined
  }
  const code = readText(problems, entry)
  if (code === undefined || isServerError.test(code)) return code
  if ((transientErrors as readonly string[]).includes(code)) return code
  if (/^http_[1-4]\d\d$/.test(code)) {
    const hint = 'handle it with on_error; transient statuses are 408, 429 and 500 to 599'
    problems.add('E107', `${quote(code)} is never retried: the response would be the same`, value, hint)
    return undefined
  }
  const other = meant(code)
  const hint = other === undefined ? suggestNearest(code, transientErrors) : `did you mean '${other}'?`
  if (hint !== undefined || !isCode.test(code)) {
    const known = hint ?? `built-in codes: ${transientErrors.join(', ')}`
    problems.add('E107', `${quote(code)} is not a transient error code`, value, known)
    return undefined
  }
  // Skills may have own codes without declaring them.
  const unsure = `built-in codes: ${transientErrors.join(', ')}`
  problems.add(
    'W406',
    `${quote(code)} is not a built-in error code: only the skill itself could use it`,
    value,
    unsure,
  )
  return code
}

/** Synonyms of error codes. */
const familiar: ReadonlyMap<string, string> = new Map([
  ...['timeout', 'timed_out', 'etimedout'].map((word) => [word, 'step_timeout'] as const),
  ...['rate_limit', 'ratelimit', 'too_many_requests', 'throttled'].map((word) => [word, 'http_429'] as const),
  ...['network', 'connection', 'connection_error', 'econnreset', 'econnrefused'].map(
    (word) => [word, 'network_error'] as const,
  ),
  ...['server_error', 'server_errors', '5xx'].map((word) => [word, 'http_5xx'] as const),
])

function meant(word: string | number | bigint | boolean): string | undefined {
  const text = String(word)
  if (/^(?:408|429|5\d\d)$/.test(text)) return `http_${text}`
  return familiar.get(text.toLowerCase().replaceAll(/[\s-]+/g, '_'))
}
