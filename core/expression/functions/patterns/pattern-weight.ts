/** The weight of a Unicode class such as `\pL`, which consists of hundreds of ranges. */
const classWeight = 40

const counted = /\{(\d{1,5})(?:,(\d{0,5}))?\}/y

/**
 * Estimates the compiled size of a pattern without compiling it: at least its number of instructions. Counted
 * repeats multiply, so `(a{30}){30}` weighs about 900. Linear in the length of the pattern.
 */
export function patternWeight(source: string): number {
  /** The open groups: the weight before them, and in them so far. */
  const before: number[] = []
  let sum = 3
  let last = 0
  const atom = (weight: number): void => {
    sum += last
    last = weight
  }
  for (let at = 0; at < source.length; at++) {
    const sign = source[at]!
    if (sign === '(') {
      before.push(sum + last)
      sum = 3
      last = 0
    } else if (sign === ')') {
      const whole = sum + last
      sum = before.pop() ?? 0
      last = whole
    } else if (sign === '{') {
      counted.lastIndex = at
      const found = counted.exec(source)
      if (!found) atom(1)
      else {
        last = (last + 1) * Math.max(1, Number(found[1]), Number(found[2] ?? 0))
        at += found[0].length - 1
      }
    } else if (sign === '[') {
      const end = endOfClass(source, at)
      atom(1 + classWeight * (source.slice(at, end).match(/\\[pP]/g)?.length ?? 0))
      at = end
    } else if (sign === '\\') {
      if (source[at + 1] === 'Q') {
        const end = source.indexOf('\\E', at + 2)
        const written = (end < 0 ? source.length : end) - at - 2
        if (written > 0) {
          atom(written - 1)
          atom(1)
        }
        at = end < 0 ? source.length : end + 1
      } else {
        const isClass = /[pP]/.test(source[at + 1] ?? '')
        atom(isClass ? classWeight : 1)
        // The braces of `\x{41}` and `\p{L}` have no weight.
        const hasBraces = (isClass || source[at + 1] === 'x') && source[at + 2] === '{'
        at = hasBraces ? Math.max(at + 2, source.indexOf('}', at)) : at + 1
      }
    } else if (sign === '*' || sign === '+' || sign === '?' || sign === '|') {
      last += 2
    } else atom(1)
  }
  return before.reduce((whole, each) => whole + each, sum + last)
}

/** Offset of the `]` that closes the class opened at `open`. */
function endOfClass(source: string, open: number): number {
  let at = source[open + 1] === '^' ? open + 2 : open + 1
  // A leading `]` is a member of the class.
  if (source[at] === ']') at++
  for (; at < source.length && source[at] !== ']'; at++) {
    if (source[at] === '\\') at++
    else if (source.startsWith('[:', at)) {
      const end = source.indexOf(':]', at + 2)
      if (end >= 0) at = end + 1
    }
  }
  return at
}
