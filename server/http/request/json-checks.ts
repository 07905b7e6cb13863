import { formatPointer } from '../../../core/schema/index.ts'

const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]

const isLoneSurrogate = (value: unknown): boolean => typeof value === 'string' && !value.isWellFormed()

const isOddNumber = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Number.isFinite(value)
    : typeof value === 'bigint' && (value < least || value > most)

/** Whether a body holds a lone surrogate or an odd number. Most hold none, and need no pointers. */
export function isOdd(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return isLoneSurrogate(body) || isOddNumber(body)
  if (Array.isArray(body)) return body.some(isOdd)
  for (const name in body)
    if (isLoneSurrogate(name) || isOdd((body as Readonly<Record<string, unknown>>)[name])) return true
  return false
}

/** The JSON pointer of the first text in a body with half of a surrogate pair: an escape can bring one in. */
export const findLoneSurrogate = (body: unknown): string | undefined => findValue(body, isLoneSurrogate, [])

/**
 * The JSON pointer of the first number in a body that is out of range: an integer beyond int64 would lose digits during a run, and a
 * number beyond the range of doubles (`1e400`) would become null.
 */
export const findOddNumber = (body: unknown): string | undefined => findValue(body, isOddNumber, [])

/** The pointer of the first value that matches, or of the object with a name that does. The parser has bounded the depth. */
function findValue(
  value: unknown,
  matches: (value: unknown) => boolean,
  path: readonly (string | number)[],
): string | undefined {
  if (matches(value)) return formatPointer(path)
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, child] of Object.entries(value)) {
    const found = matches(name) ? formatPointer(path) : findValue(child, matches, [...path, name])
    if (found !== undefined) return found
  }
  return undefined
}
