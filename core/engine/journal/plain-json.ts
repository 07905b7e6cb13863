import { parseJson, stringifyJson } from '../../common/json.ts'
import { TocsinError } from '../../plugin/index.ts'

/** Largest input or output of a step, in characters of JSON. */
const maxStepJson = 16 * 1024 * 1024

/**
 * The value as it will be read back from the journal, so that a run sees the same before a restart and after: no undefined, no
 * Date, no Secret. `undefined` itself becomes null.
 *
 * Throws TocsinError `json_invalid`, `json_too_deep`, `value_too_large`.
 */
export function plainJson(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' ? value.length <= maxStepJson : typeof value !== 'object') return value
  const text = stringifyJson(value)
  if (text.length > maxStepJson) {
    throw new TocsinError('value_too_large', `the value is ${text.length} characters of JSON long`, {
      hint: `ask the other system for less: at most ${maxStepJson} are kept of a step`,
    })
  }
  return parseJson(text)
}
