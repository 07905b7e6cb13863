import type { ScalarNode } from './document.ts'
import type { Span } from '../language/source-text.ts'

/**
 * The source range of a part of a scalar's value. Value and source differ by quotes, escapes, folded lines
 * and indentation; all other characters are found by walking along both.
 *
 * @param from offset in the value; `to` exclusive
 */
export function spanInScalar(source: string, scalar: ScalarNode, from: number, to: number): Span {
  if (typeof scalar.value !== 'string') return scalar
  const spans = alignedOnce(source, scalar, scalar.value)
  if (spans === undefined) return { start: scalar.start, end: scalar.end }
  const { starts, ends } = spans
  const start = starts[from] ?? ends.at(-1) ?? scalar.start
  const end = to > from ? (ends[to - 1] ?? start) : start
  return { start, end: Math.max(end, start) }
}

/** The start and end of each UTF-16 unit of a value in the source. */
interface UnitSpans {
  readonly starts: Int32Array
  readonly ends: Int32Array
}

interface Aligned {
  readonly source: string
  readonly spans: UnitSpans | undefined
}

/** Cached: one text can contain thousands of expressions. */
const known = new WeakMap<ScalarNode, Aligned>()

function alignedOnce(source: string, scalar: ScalarNode, value: string): UnitSpans | undefined {
  const before = known.get(scalar)
  if (before?.source === source) return before.spans
  const spans = align(source, scalar, value)
  known.set(scalar, { source, spans })
  return spans
}

/** Undefined if value and source do not match. */
function align(source: string, scalar: ScalarNode, value: string): UnitSpans | undefined {
  const starts = new Int32Array(value.length)
  const ends = new Int32Array(value.length)
  let at = contentStart(source, scalar)
  for (let index = 0; index < value.length; index++) {
    const wanted = value[index]!
    if (!isSpace(wanted)) at = skipSpace(source, at, scalar)
    const length = lengthAt(source, at, wanted, scalar)
    if (length === undefined) return undefined
    // White space without counterpart in the source, such as the final newline of a file without one.
    const end = Math.min(at + length, scalar.end)
    starts[index] = Math.min(at, scalar.end)
    ends[index] = end
    // An escape for a character beyond U+FFFF gives two units.
    const second = value.charCodeAt(index + 1)
    if (length > 2 && wanted >= '\uD800' && wanted <= '\uDBFF' && second >= 0xdc00 && second <= 0xdfff) {
      index++
      starts[index] = at
      ends[index] = end
    }
    at = end
  }
  return { starts, ends }
}

function contentStart(source: string, { start, style }: ScalarNode): number {
  if (style === 'single' || style === 'double') return start + 1
  if (style === 'plain') return start
  const newline = source.indexOf('\n', start)
  return newline < 0 ? source.length : newline + 1
}

const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\n' || character === '\r'

/** Skips indentation, folded line ends, and line ends escaped in double quotes. */
function skipSpace(source: string, from: number, { end, style }: ScalarNode): number {
  let at = from
  while (at < end) {
    if (isSpace(source[at])) at++
    else if (
      style === 'double' &&
      source[at] === '\\' &&
      (source[at + 1] === '\n' || source[at + 1] === '\r')
    )
      at++
    else break
  }
  return at
}

const escapeLengths: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 }

/** Length of the next character of the value in the source; undefined if it is not there. */
function lengthAt(
  source: string,
  at: number,
  wanted: string,
  { style, end }: ScalarNode,
): number | undefined {
  const found = source[at]
  if (style === 'double' && found === '\\') return escapeLengths[source[at + 1] ?? ''] ?? 2
  if (isSpace(wanted)) {
    if (at >= end || !isSpace(found)) return 0
    return found === '\r' && source[at + 1] === '\n' ? 2 : 1
  }
  if (found !== wanted) return undefined
  return style === 'single' && wanted === "'" ? 2 : 1
}
