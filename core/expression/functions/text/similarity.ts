import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import type { Value } from '../../values/values.ts'
import { global, stringArgument, type ExpressionFunction } from '../function.ts'

/** Compared characters per unit of fuel. */
const pairsPerUnit = 128

/** The number of characters to insert, remove or replace to turn one text into the other. */
function distance(left: string, right: string, meter: Meter, span: Span): number {
  if (left === right) return 0
  // Arrays of characters, four times the memory of the texts.
  meter.spend((left.length + right.length) >>> 3, span)
  meter.allocate((left.length + right.length) * 24, span)
  const [a, b] = [Array.from(left), Array.from(right)]
  meter.spend(Math.floor((a.length * b.length) / pairsPerUnit), span)
  const row = Uint32Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [above, character] of a.entries()) {
    let diagonal = above
    row[0] = above + 1
    for (let at = 0; at < b.length; at++) {
      const replaced = diagonal + (character === b[at] ? 0 : 1)
      diagonal = row[at + 1]!
      row[at + 1] = Math.min(replaced, diagonal + 1, row[at]! + 1)
    }
  }
  return row[b.length]!
}

function levenshtein(meter: Meter, span: Span, left: Value, right: Value): Value {
  return BigInt(distance(stringArgument(left, span), stringArgument(right, span), meter, span))
}

/** 1 for equal texts, 0 for those without anything in common. */
function similarity(meter: Meter, span: Span, left: Value, right: Value): Value {
  const [a, b] = [stringArgument(left, span), stringArgument(right, span)]
  const changes = distance(a, b, meter, span)
  if (changes === 0) return 1
  return 1 - changes / Math.max(Array.from(a).length, Array.from(b).length)
}

export const similarityFunctions: readonly ExpressionFunction[] = [
  global('levenshtein', ['string, string -> int'], levenshtein, { price: 3 }),
  global('similarity', ['string, string -> double'], similarity, { price: 3 }),
]
