import type { Row } from './row.ts'

/** Numbers and aggregates. */
export const numberDocs: readonly Row[] = [
  [
    'list.min() -> any',
    'the smallest of numbers, strings, bools or times; an error for an empty list',
    '[3, 1, 2].min()',
  ],
  ['list.max() -> any', 'like `min`, but the greatest', '[3, 1, 2].max()'],
  ['list.sum() -> any', 'the sum of numbers or durations; 0 for an empty list', '[1, 2.5].sum()'],
  ['list.avg() -> double', 'the mean of numbers; an error for an empty list', '[1, 2].avg()'],
  ['math.least(a, b, …) -> any', 'the smallest of several numbers, or of a list', 'math.least(3, 1, 2)'],
  ['math.greatest(a, b, …) -> any', 'the greatest of several numbers, or of a list', 'math.greatest(0, -5)'],
  [
    'math.round(x[, digits]) -> number',
    'rounded to a whole number, or to this many digits; halves away from zero',
    'math.round(12.345, 2)',
  ],
  ['math.floor(x) -> number', 'rounded down to a whole number', 'math.floor(-1.2)'],
  ['math.ceil(x) -> number', 'rounded up to a whole number', 'math.ceil(1.2)'],
  ['math.trunc(x) -> number', 'rounded toward zero', 'math.trunc(-1.7)'],
  ['math.abs(x) -> number', 'the absolute value', 'math.abs(-3)'],
  ['math.sign(x) -> number', '-1, 0 or 1', 'math.sign(-42)'],
  ['math.sqrt(x) -> double', 'the square root; NaN of a negative number', 'math.sqrt(81)'],
  ['math.isNaN(x) -> bool', 'it is NaN, such as 0.0 / 0.0', 'math.isNaN(0.0 / 0.0)'],
  ['math.isInf(x) -> bool', 'it is infinite, such as 1.0 / 0.0', 'math.isInf(1.0 / 0.0)'],
  ['math.isFinite(x) -> bool', 'it is neither NaN nor infinite', 'math.isFinite(1.5)'],
  [
    'math.bitAnd(a, b) -> int',
    'bitwise AND of whole numbers, such as to test a flag',
    'math.bitAnd(514, 2) == 2',
  ],
  ['math.bitOr(a, b) -> int', 'bitwise OR', 'math.bitOr(512, 2)'],
  ['math.bitXor(a, b) -> int', 'bitwise XOR', 'math.bitXor(1, 3)'],
  ['math.bitNot(a) -> int', 'bitwise NOT', 'math.bitNot(0)'],
  ['math.bitShiftLeft(a, places) -> int', 'the bits shifted to the left', 'math.bitShiftLeft(1, 4)'],
  [
    'math.bitShiftRight(a, places) -> int',
    'the bits shifted to the right, filled with zeros',
    'math.bitShiftRight(1024, 2)',
  ],
]
