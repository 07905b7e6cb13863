import { stripVTControlCharacters } from 'node:util'

/** A plain table with aligned columns. Cells may be colored. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => visibleLength(row[column] ?? ''))),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - visibleLength(cell))))
      .join('  ')
      .trimEnd()
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n')
}

function visibleLength(cell: string): number {
  return stripVTControlCharacters(cell).length
}
