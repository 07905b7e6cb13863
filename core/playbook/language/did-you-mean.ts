import { nearest } from '../../common/nearest.ts'
import { idPattern, idRule } from './constants.ts'

/** Suggests the nearest known word, if the message already lists all of them. */
export function suggestNearest(word: string, known: readonly string[]): string | undefined {
  const meant = nearest(word, known)
  return meant === undefined ? undefined : `did you mean '${meant}'?`
}

/** A hint for an unknown word: the nearest known word, or all of them if there are few. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const meant = suggestNearest(word, known)
  if (meant !== undefined) return meant
  if (known.length === 0 || known.length > 20) return undefined
  return `possible here: ${known.join(', ')}`
}

const validId = new RegExp(idPattern)

/** A hint for an invalid id: the valid one nearest to it, or the rule. */
export function suggestId(id: string): string {
  const better = id
    .slice(0, 64)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
  return validId.test(better) ? `write ${better}` : idRule
}
