import type { StoredError } from '../../domain/run.ts'
import { parseJson, stringifyJson } from '../../common/json.ts'
import { TocsinError } from '../../plugin/index.ts'
import type { Log } from '../../ports/log.ts'

/** Longest message and hint that are stored, in characters. */
const maxErrorText = 2_000
/** Longest `details` that are stored, in characters of JSON; larger ones are left out. */
const maxErrorDetails = 8_000

/**
 * What is kept of an error: code, message, hint and details, bounded in size; never its stack or its cause. Whatever is not a
 * TocsinError is a bug of ours: it becomes `internal_error`, and only the log learns more.
 */
export function toStoredError(
  error: unknown,
  log: Log,
  fields: Readonly<Record<string, unknown>>,
): StoredError {
  if (error instanceof TocsinError) return storedTocsinError(error)
  const stack = error instanceof Error ? (error.stack ?? error.message) : describe(error)
  log.error({ ...fields, stack: cut(stack, 8_000) }, 'a step failed in a way that nobody foresaw')
  return {
    code: 'internal_error',
    message: 'the step failed because of a bug, of Tocsin or of a plugin',
    hint: 'the log has the details',
  }
}

/** Cuts what is too long and drops what is not JSON. */
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
    // What cannot be written as JSON cannot be stored either.
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
