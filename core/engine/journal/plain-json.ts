import { parseJson, stringifyJson } from '../../common/json.ts'
import { TocsinError } from '../../plugin/index.ts'

/** Largest input or output of a step, in characters of JSON. */
const maxStepJson = 16 * 1024 * 1024

/**
 * The value as it is read back from the journal, so that a run sees the same before and after a restart: no
 * undefined, Date or Secret. `undefined` becomes null.
 *
 * @throws TocsinError `json_invalid`, `json_too_deep`, `value_too_large`
 */
export function plainJson(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' ? value.length <= maxStepJson : typeof value !== 'object') return value
  const text = stringifyJson(value)
  if (text.length > maxStepJson) {
    throw new TocsinError('value_too_large', `the value is ${text.length} characters of JSON long`, {
      hint: `request less data: a step keeps at most ${maxStepJson} characters`,
    })
  }
  return parseJson(text)
}
