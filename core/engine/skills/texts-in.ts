import { Redactor } from '../../skill/redaction/redactor.ts'

/** Shorter texts stand everywhere by accident. */
const minLength = 4
/** And so do numbers with fewer digits. */
const minDigits = 6
const maxDepth = 32

/** All texts and numbers in a value that are long enough to be told from others. */
export function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return value.length < minLength ? [] : [value]
  if (typeof value === 'number' || typeof value === 'bigint') {
    return String(value).length < minDigits ? [] : [String(value)]
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1))
}

/** Of all that is said about one call, in characters. */
const maxWork = 20_000_000
/** More texts, or longer ones together, are not looked for. */
const [maxTexts, maxCharacters] = [5_000, 1_000_000]

/** Takes the sensitive texts that a call was given out of what is said about it. Where there are too many of them, nothing is said. */
export function hiding(texts: readonly string[]): Redactor {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const isTooMuch = texts.length > maxTexts || characters > maxCharacters
  return isTooMuch ? new Redactor([], undefined, 0) : new Redactor(texts, undefined, maxWork)
}
