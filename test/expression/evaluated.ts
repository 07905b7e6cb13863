import {
  compileExpression,
  dyn,
  ExpressionError,
  toJsonValue,
  toText,
  type ExpressionErrorCode,
  type Type,
} from '../../core/expression/index.ts'

export function evaluate(
  source: string,
  scope: Record<string, unknown> = {},
  names?: Record<string, Type>,
): unknown {
  const known = names ?? Object.fromEntries(Object.keys(scope).map((name) => [name, dyn]))
  const { program, problems } = compileExpression(source, known)
  if (!program) throw new Error(problems.map(({ message }) => message).join('; '))
  return toJsonValue(program.evaluate(scope))
}

interface Failure {
  readonly value?: unknown
  readonly code?: ExpressionErrorCode
  readonly message?: string
  readonly hint?: string | undefined
  readonly at?: string
}

export function failure(source: string, scope: Record<string, unknown> = {}): Failure {
  try {
    return { value: evaluate(source, scope) }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    const { code, message, hint, start, end } = error
    return { code, message, hint, at: source.slice(start, end) }
  }
}

/** The value as text. */
export function text(source: string): string {
  return toText(compileExpression(source, {}).program!.evaluate({}))
}
