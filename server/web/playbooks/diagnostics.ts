import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { Problem } from './playbook.ts'

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

/** The mistakes as the editor marks them; one of no length marks the character beside it. */
export function diagnosticsOf(text: Text, problems: readonly Problem[]): Diagnostic[] {
  return problems.map((problem) => {
    const from = offsetOf(text, problem.line, problem.column)
    const to = Math.max(from, offsetOf(text, problem.end_line, problem.end_column))
    const { severity, code, message, hint } = problem
    return { from, to, severity, source: code, message: hint === undefined ? message : `${message}\n${hint}` }
  })
}
