import type { SourceText, Span } from '../../../../core/playbook/language/source-text.ts'

const line = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const
const column = { ...line, description: 'In UTF-16 code units, from 1.' } as const

/** A place in a source, as requests name it. */
export const placeFields = { line, column } as const

/** A stretch of a source, as answers have it. */
export const spanFields = {
  ...placeFields,
  end_line: line,
  end_column: { ...line, description: 'After the last one.' },
} as const

export function spanView(source: SourceText, { start, end }: Span) {
  const [from, to] = [source.place(start), source.place(end)]
  return { line: from.line, column: from.column, end_line: to.line, end_column: to.column }
}
