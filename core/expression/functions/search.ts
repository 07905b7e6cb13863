/** Up to so many comparisons the search of the platform is used, which is faster on nearly all texts, but quadratic at worst. */
const fewComparisons = 1 << 16

/** A text to look for in other texts, in time linear in the lengths of both. */
export class Part {
  readonly #part: string
  #borders: Int32Array | undefined

  constructor(part: string) {
    this.#part = part
  }

  /** Offset of the first occurrence at or behind `from`, or -1. */
  indexIn(value: string, from = 0): number {
    const part = this.#part
    if (part.length < 2 || (value.length - from) * part.length <= fewComparisons)
      return value.indexOf(part, from)
    // Knuth, Morris and Pratt: no character of the value is looked at twice.
    this.#borders ??= bordersOf(part)
    const borders = this.#borders
    let matched = 0
    for (let at = from; at < value.length; at++) {
      const code = value.charCodeAt(at)
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1]!
      if (part.charCodeAt(matched) === code) matched++
      if (matched === part.length) return at - matched + 1
    }
    return -1
  }

  /** What stands between the occurrences, as `split` has it. The part is not empty. */
  splits(value: string): string[] {
    const pieces: string[] = []
    let from = 0
    for (let at = this.indexIn(value); at >= 0; at = this.indexIn(value, from)) {
      pieces.push(value.slice(from, at))
      from = at + this.#part.length
    }
    pieces.push(value.slice(from))
    return pieces
  }
}

/** For each beginning of the part the length of its longest end that is also its beginning. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at++) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = borders[length - 1]!
    if (part.charCodeAt(at) === part.charCodeAt(length)) length++
    borders[at] = length
  }
  return borders
}
