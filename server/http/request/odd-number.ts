import { formatPointer } from '../../../core/schema/index.ts'

/** What may be beyond 2^53, or beyond all numbers: no shorter one is. */
const large = /\d{16}|\d[eE]\+?\d{3}/
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]

/**
 * The JSON pointer of the first number in a body that would not stay what it is, or `undefined`: beyond int64 an integer would lose
 * digits on its way through a run, and what is beyond all numbers (`1e400`) would become null.
 */
export function findOddNumber(text: string, value: unknown): string | undefined {
  return large.test(text) ? search(value, []) : undefined
}

// Recursion is bounded by the depth that the body was checked for.
function search(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value === 'bigint') return value >= least && value <= most ? undefined : formatPointer(path)
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : formatPointer(path)
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, child] of Object.entries(value)) {
    const found = search(child, [...path, name])
    if (found !== undefined) return found
  }
  return undefined
}
