import type { Text } from '@codemirror/state'

/** Where a place is that is told by line and column, both from 1; one beyond the text is at its end. */
export function offsetOf(
  text: Pick<Text, 'lines' | 'line' | 'length'>,
  line: number,
  column: number,
): number {
  if (line > text.lines) return text.length
  const { from, to } = text.line(Math.max(1, line))
  return Math.min(to, from + Math.max(1, column) - 1)
}

/** The line and column of an offset, as the API names places. */
export function placeAt(text: Pick<Text, 'lineAt'>, offset: number): { line: number; column: number } {
  const { number, from } = text.lineAt(offset)
  return { line: number, column: offset - from + 1 }
}
