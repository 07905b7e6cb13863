import { formatPointer } from '../../../core/schema/index.ts'

/** UTF-8 cannot carry a surrogate, so that only an escape can bring one in. */
const surrogateEscape = /\\u[dD][89a-fA-F]/

/** The JSON pointer of the first text in a body that holds half of a surrogate pair, or `undefined`. */
export function findLoneSurrogate(text: string, value: unknown): string | undefined {
  return surrogateEscape.test(text) ? search(value, []) : undefined
}

// Recursion is bounded by the depth that the body was checked for.
function search(value: unknown, path: readonly (string | number)[]): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : formatPointer(path)
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, child] of Object.entries(value)) {
    const here = [...path, name]
    // A name that is no text cannot be written in an answer: its object is named instead.
    const found = name.isWellFormed() ? search(child, here) : formatPointer(path)
    if (found !== undefined) return found
  }
  return undefined
}
