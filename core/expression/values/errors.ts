import { TocsinError, type ErrorOptions } from '../../plugin/index.ts'

/** A range of the source: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Codes of problems found by the checker. */
export type ExpressionProblemCode =
  | 'syntax'
  | 'not_supported'
  | 'too_long'
  | 'too_deep'
  | 'too_many_nodes'
  | 'unknown_name'
  | 'unknown_field'
  | 'unknown_function'
  | 'wrong_arguments'
  | 'wrong_type'
  | 'optional_field'
  | 'nullable'
  | 'not_in_enum'
  | 'invalid_literal'
  // Warnings:
  | 'mixed_type'
  | 'name_in_quotes'
  | 'times_as_text'
  | 'number_not_in_enum'
  | 'near_field'

/** A problem of an expression, found without running it. */
export interface ExpressionProblem extends Span {
  readonly code: ExpressionProblemCode
  readonly message: string
  /** What to write instead. */
  readonly hint?: string | undefined
}

/** Codes of errors at run time. */
export type ExpressionErrorCode =
  | 'expression_unknown_name'
  | 'expression_missing_field'
  | 'expression_index_out_of_range'
  | 'expression_wrong_type'
  | 'expression_invalid_argument'
  | 'expression_divide_by_zero'
  | 'expression_overflow'
  | 'expression_duplicate_key'
  | 'expression_too_deep'
  | 'expression_fuel_exhausted'
  | 'expression_memory_exhausted'

/** An expression failed at run time. `start` and `end` are UTF-16 offsets into its source. */
export class ExpressionError extends TocsinError<ExpressionErrorCode> implements Span {
  readonly start: number
  readonly end: number

  constructor(code: ExpressionErrorCode, message: string, span: Span, options: ErrorOptions = {}) {
    super(code, message, options)
    this.start = span.start
    this.end = span.end
  }
}

/**
 * Thrown inside the evaluator. It has no stack trace, so that `||` and `&&` can ignore it cheaply. Callers
 * receive an {@link ExpressionError}.
 */
export class Fault {
  readonly code: ExpressionErrorCode
  readonly message: string
  readonly span: Span
  readonly hint: string | undefined

  constructor(code: ExpressionErrorCode, message: string, span: Span, hint?: string) {
    this.code = code
    this.message = message
    this.span = span
    this.hint = hint
  }

  /** An exhausted budget ends the evaluation; `||` and `&&` may ignore every other fault. */
  get fatal(): boolean {
    return this.code === 'expression_fuel_exhausted' || this.code === 'expression_memory_exhausted'
  }

  toError(): ExpressionError {
    return new ExpressionError(this.code, this.message, this.span, { hint: this.hint })
  }
}
