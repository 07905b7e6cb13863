import { ValidationError } from '../../../core/errors/errors.ts'
import { summarize, type CompiledSchema } from '../../../core/schema/index.ts'

/** Does `work` about the part of the body at `pointer`: what it finds wrong gets its place in the whole body. */
export function within<T>(pointer: string, work: () => T): T {
  try {
    const result = work()
    // A promise rejects later; `then` of what is no promise is left alone.
    return result instanceof Promise
      ? (result.catch((error: unknown) => rethrow(pointer, error)) as T)
      : result
  } catch (error) {
    return rethrow(pointer, error)
  }
}

function rethrow(pointer: string, error: unknown): never {
  if (!(error instanceof ValidationError)) throw error
  const errors = error.errors.map((inner) => ({ pointer: pointer + inner.pointer, message: inner.message }))
  throw new ValidationError(error.code, error.message, errors, { hint: error.hint })
}

export function validateBody(schema: CompiledSchema, value: unknown): void {
  check(schema, value, 'value_invalid', 'the body')
}

/** Throws ValidationError `query_invalid`; its pointers are `/<name of the parameter>`. */
export function validateQuery(schema: CompiledSchema, value: unknown): void {
  check(schema, value, 'query_invalid', 'the query')
}

/** Throws ValidationError `header_invalid`; its pointers are `/<name of the header>`. */
export function validateHeaders(schema: CompiledSchema, value: unknown): void {
  check(schema, value, 'header_invalid', 'a header')
}

function check(schema: CompiledSchema, value: unknown, code: string, what: string): void {
  const problems = schema.problems(value)
  if (problems.length === 0) return
  throw new ValidationError(code, `${what} is not valid: ${summarize(problems)}`, problems)
}
