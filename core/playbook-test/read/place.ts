import type { SourceProblem } from '../../errors/source-frame.ts'
import type { SourceText, Span } from '../../playbook/language/source-text.ts'

export { nodeAt, partsOf, plainValue } from '../../playbook/yaml/plain-value.ts'

/** A range of the source, as in problems. */
export type PlaceRange = Pick<SourceProblem, 'line' | 'column' | 'endLine' | 'endColumn'>

export function testPlaceOf(source: SourceText, { start, end }: Span): PlaceRange {
  const from = source.place(start)
  const to = source.place(end)
  return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column }
}
