import { nearest } from '../schema/nearest.ts'

/** Comparing takes time: a few microseconds each. */
const maxCompared = 500

/** A hint for an unknown word: the one that was probably meant, else all when they are few. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const meant = nearest(word, known.slice(0, maxCompared))
  if (meant !== undefined) return `did you mean '${meant}'?`
  if (known.length === 0 || known.length > 20) return undefined
  return `possible here: ${known.join(', ')}`
}
