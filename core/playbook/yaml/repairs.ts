import type { Span } from '../language/source-text.ts'

/**
 * A stretch of the source that YAML cannot read as it stands, and the text that was certainly meant. The parser is given a word
 * of the same length instead, so that everything else in the file can be checked, and stands where it stood.
 */
export interface Repair extends Span {
  /** What was meant; stands in the source at `valueStart`. */
  readonly value: string
  readonly valueStart: number
}

/** The text with a word in the place of each repaired stretch. Repairs do not overlap. */
export function withRepairs(text: string, repairs: Iterable<Repair>): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end } of [...repairs].toSorted((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, start), '_'.repeat(end - start))
    at = end
  }
  return pieces.join('') + text.slice(at)
}

/**
 * A hint whose quotes can be typed where it is read: `''` would end text in single quotes, `""` text in double quotes.
 *
 * @example hintInQuotes('single', "write x == null ? '' : x") // 'write x == null ? "" : x'
 */
export function hintInQuotes(style: ScalarStyle, hint: string): string {
  if (style === 'single' && !hint.includes('"')) return hint.replaceAll(/(?<!\w)'([^']*)'(?!\w)/g, '"$1"')
  if (style === 'double' && !hint.includes("'")) return hint.replaceAll(/"([^"]*)"/g, "'$1'")
  return hint
}

/** The text as a quoted YAML value, with the quotes that need the least in it changed. */
export function quoted(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`
  return `'${text.replaceAll("'", "''")}'`
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded'
