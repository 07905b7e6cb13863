/**
 * Prints a table under its title as Markdown formatted like Prettier, so that it can be copied to
 * docs/performance.md.
 */
export function printTable(
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = header.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  const lines = [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)]
  console.log(`\n### ${title}\n\n${lines.join('\n')}`)
}
