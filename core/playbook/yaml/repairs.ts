import type { Span } from '../language/source-text.ts'

/**
 * A range of the source that YAML cannot read, and the intended text. The parser receives a word of the same
 * length instead, so that the rest of the file can be checked at unchanged offsets.
 */
export interface Repair extends Span {
  /** The intended text; it is in the source at `valueStart`. */
  readonly value: string
  readonly valueStart: number
}

/** The text with a placeholder word for each repaired range. Repairs do not overlap. */
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
 * A hint with quotes that are valid inside the scalar: `''` would end text in single quotes, `""` text in
 * double quotes.
 *
 * @example hintInQuotes('single', "write x == null ? '' : x") // 'write x == null ? "" : x'
 */
export function hintInQuotes(style: ScalarStyle, hint: string): string {
  if (style === 'single' && !hint.includes('"')) return hint.replaceAll(/(?<!\w)'([^']*)'(?!\w)/g, '"$1"')
  if (style === 'double' && !hint.includes("'")) return hint.replaceAll(/"([^"]*)"/g, "'$1'")
  return hint
}

/** The text as a quoted YAML value, with the quotes that need the fewest escapes. */
export function quoted(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`
  return `'${text.replaceAll("'", "''")}'`
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded'
