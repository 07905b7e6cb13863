import { nearest } from '../../common/nearest.ts'

/** The one that was probably meant, where the message lists them all. */
export function suggestNearest(word: string, known: readonly string[]): string | undefined {
  const meant = nearest(word, known)
  return meant === undefined ? undefined : `did you mean '${meant}'?`
}

/** A hint for an unknown word: the one that was probably meant, else all when they are few. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const meant = suggestNearest(word, known)
  if (meant !== undefined) return meant
  if (known.length === 0 || known.length > 20) return undefined
  return `possible here: ${known.join(', ')}`
}
