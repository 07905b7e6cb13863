import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'

/** V8 searches in linear time for parts up to this length. */
const longestReach = 250
/** Below this many comparisons, the faster but worst-case quadratic search of V8 is used. */
const fewComparisons = 1 << 16

/** A text to search for, in time linear in both lengths. */
export class Part {
  readonly #part: string
  #forward: Borders | undefined

  constructor(part: string) {
    this.#part = part
  }

  /** Pays for one search; long parts cost per character. */
  pay(value: string, meter: Meter, span: Span): void {
    const length = value.length + this.#part.length
    meter.search(this.#part.length > longestReach ? length * 2 : length, span)
  }

  /** Offset of the first occurrence at or after `from`, or -1. */
  indexIn(value: string, from = 0): number {
    const part = this.#part
    const comparisons = (value.length - from) * part.length
    if (part.length <= longestReach || comparisons <= fewComparisons) return value.indexOf(part, from)
    // Knuth-Morris-Pratt: reads each character once.
    const borders = (this.#forward ??= bordersOf(part.length, (at) => part.charCodeAt(at)))
    let matched = 0
    for (let at = from; at < value.length; at++) {
      const code = value.charCodeAt(at)
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1]!
      if (part.charCodeAt(matched) === code) matched++
      if (matched === part.length) return at - matched + 1
    }
    return -1
  }

  /** Offset of the last occurrence at or before `from`, or -1. */
  lastIndexIn(value: string, from = value.length): number {
    const part = this.#part
    const { length } = part
    const last = Math.min(from, value.length - length)
    if (last < 0 || last * length <= fewComparisons) return value.lastIndexOf(part, from)
    // The same, from the end.
    const borders = bordersOf(length, (at) => part.charCodeAt(length - 1 - at))
    let matched = 0
    for (let at = last + length - 1; at >= 0; at--) {
      const code = value.charCodeAt(at)
      while (matched > 0 && part.charCodeAt(length - 1 - matched) !== code) matched = borders[matched - 1]!
      if (part.charCodeAt(length - 1 - matched) === code) matched++
      if (matched === length) return at
    }
    return -1
  }

  /**
   * The pieces between the occurrences, as `split` returns them, up to a limit; each is paid for. The part
   * must not be empty.
   */
  splits(value: string, most: number, meter: Meter, span: Span): string[] {
    const pieces: string[] = []
    let from = 0
    for (let at = this.indexIn(value); at >= 0 && pieces.length < most - 1; at = this.indexIn(value, from)) {
      if (pieces.length % 4 === 3) meter.spend(1, span)
      pieces.push(value.slice(from, at))
      from = at + this.#part.length
    }
    pieces.push(value.slice(from))
    return pieces
  }
}

/**
 * The failure table of Knuth-Morris-Pratt: for each prefix, its longest proper suffix that is also a prefix.
 */
type Borders = Int32Array

function bordersOf(size: number, codeAt: (at: number) => number): Borders {
  const borders = new Int32Array(size)
  let length = 0
  for (let at = 1; at < size; at++) {
    while (length > 0 && codeAt(at) !== codeAt(length)) length = borders[length - 1]!
    if (codeAt(at) === codeAt(length)) length++
    borders[at] = length
  }
  return borders
}
