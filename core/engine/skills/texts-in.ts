import { Redactor } from '../../skill/redaction/redactor.ts'

/** Shorter texts occur everywhere by chance. */
const minLength = 4
/** So do numbers with fewer digits. */
const minDigits = 6
const maxDepth = 32

/** All texts and numbers in a value that are long enough to be recognized. */
export function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return value.length < minLength ? [] : [value]
  if (typeof value === 'number' || typeof value === 'bigint') {
    return String(value).length < minDigits ? [] : [String(value)]
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  return Object.values(value).flatMap((inner) => textsIn(inner, depth + 1))
}

/** Most characters searched per call. */
const maxWork = 20_000_000
/** With more or longer texts, everything is hidden instead. */
const [maxTexts, maxCharacters] = [5_000, 1_000_000]

/** Redacts these texts. With too many of them, hides everything. */
export function hiding(texts: readonly string[]): Redactor {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const isTooMuch = texts.length > maxTexts || characters > maxCharacters
  return isTooMuch ? new Redactor([], undefined, 0) : new Redactor(texts, undefined, maxWork)
}
