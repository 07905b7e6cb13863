import type { Diagnostic } from '@codemirror/lint'
import type { Text } from '@codemirror/state'
import type { Problem } from '../playbook.ts'
import { offsetOf } from './places.ts'

/** The mistakes as the editor marks them; one of no length marks the character beside it. */
export function diagnosticsOf(text: Text, problems: readonly Problem[]): Diagnostic[] {
  return problems.map((problem) => {
    const from = offsetOf(text, problem.line, problem.column)
    const to = Math.max(from, offsetOf(text, problem.end_line, problem.end_column))
    const { severity, code, message, hint } = problem
    return { from, to, severity, source: code, message: hint === undefined ? message : `${message}\n${hint}` }
  })
}
