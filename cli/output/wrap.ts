import { printable } from './printable.ts'

/** Maximum width, because longer lines are hard to read. */
const maxWidth = 100

/** Wraps text to the terminal, each line after `indent`. Line breaks of the text count as spaces. */
export function wrapText(
  text: string,
  indent: string,
  style: (line: string) => string = (line) => line,
): string {
  const width = Math.max(20, Math.min(process.stdout.columns ?? maxWidth, maxWidth) - indent.length)
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const shown = printable(word)
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + shown.length <= width)
      lines[lines.length - 1] = `${last} ${shown}`
    else lines.push(shown)
  }
  return lines.map((line) => indent + style(line)).join('\n')
}
