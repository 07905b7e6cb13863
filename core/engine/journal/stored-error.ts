import type { StoredError } from '../../domain/run.ts'
import { parseJson, stringifyJson } from '../../common/json.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { Log } from '../../ports/log.ts'

/** Longest stored message and hint, in characters. */
const maxErrorText = 2_000
/** Longest stored `details`, in characters of JSON; larger ones are omitted. */
const maxErrorDetails = 8_000

/**
 * The stored form of an error: code, message, hint and details, limited in size, without stack and cause. Any
 * other error than a TocsinError is a bug: it becomes `internal_error`, and only the log has its details.
 */
export function toStoredError(
  error: unknown,
  log: Log,
  fields: Readonly<Record<string, unknown>>,
): StoredError {
  if (error instanceof TocsinError) return storedTocsinError(error)
  const stack = error instanceof Error ? (error.stack ?? error.message) : describe(error)
  log.error({ ...fields, stack: cut(stack, 8_000) }, 'unexpected error in a step')
  return {
    code: 'internal_error',
    message: 'the step failed because of a bug in Tocsin or a plugin',
    hint: 'see the log for details',
  }
}

/** Truncates long texts and drops details that are not JSON. */
export function storedTocsinError(error: TocsinError): StoredError {
  const details = boundDetails(error.details)
  return {
    code: cut(error.code, 100),
    message: cut(error.message, maxErrorText),
    ...(error.hint === undefined ? {} : { hint: cut(error.hint, maxErrorText) }),
    ...(details === undefined ? {} : { details }),
  }
}

function boundDetails(details: StoredError['details']): StoredError['details'] {
  if (details === undefined) return undefined
  try {
    const text = stringifyJson(details)
    if (text.length <= maxErrorDetails) return parseJson(text) as StoredError['details']
  } catch {
    // Not representable as JSON.
  }
  return { omitted: 'the details are too large, or not JSON' }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

function describe(thrown: unknown): string {
  try {
    return `thrown: ${String(thrown)}`
  } catch {
    return `thrown: a ${typeof thrown} that has no text`
  }
}
