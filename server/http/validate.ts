import { ValidationError } from '../../core/errors/errors.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { compileSchema, summarize, type CompiledSchema } from '../../core/schema/index.ts'

/** Checks a part of the body that stands at `pointer`. Throws ValidationError `value_invalid`. */
export function validateAt(pointer: string, schema: JsonSchema, value: unknown): void {
  check(compileSchema(schema), value, 'value_invalid', 'the body', pointer)
}

export function validateBody(schema: CompiledSchema, value: unknown): void {
  check(schema, value, 'value_invalid', 'the body', '')
}

/** Throws ValidationError `query_invalid`; its pointers are `/<name of the parameter>`. */
export function validateQuery(schema: CompiledSchema, value: unknown): void {
  check(schema, value, 'query_invalid', 'the query', '')
}

function check(schema: CompiledSchema, value: unknown, code: string, what: string, pointer: string): void {
  const problems = schema.problems(value)
  if (problems.length === 0) return
  const placed = problems.map(({ pointer: inner, message }) => ({ pointer: pointer + inner, message }))
  throw new ValidationError(code, `${what} is not valid: ${summarize(placed)}`, placed)
}
