import type { Text } from '@codemirror/state'
import type { Diagnostic } from '@codemirror/lint'
import type { EditorProblem } from '../../api/types.ts'

/** Offset of a line and column, both from 1. Positions beyond the text are at its end. */
export function textOffset(
  text: Pick<Text, 'lines' | 'line' | 'length'>,
  line: number,
  column: number,
): number {
  if (line > text.lines) return text.length
  const { from, to } = text.line(Math.max(1, line))
  return Math.min(to, from + Math.max(1, column) - 1)
}

/** Line and column of an offset. */
export function linePosition(text: Pick<Text, 'lineAt'>, offset: number): { line: number; column: number } {
  const { number, from } = text.lineAt(offset)
  return { line: number, column: offset - from + 1 }
}

/** Problems as CodeMirror diagnostics. */
export function diagnosticsOf(text: Text, problems: readonly EditorProblem[]): Diagnostic[] {
  return problems.map((problem) => {
    const from = textOffset(text, problem.line, problem.column)
    const to = Math.max(from, textOffset(text, problem.end_line, problem.end_column))
    const { severity, code, message, hint } = problem
    return { from, to, severity, source: code, message: hint === undefined ? message : `${message}\n${hint}` }
  })
}
