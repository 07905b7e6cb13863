import { ValidationError } from '../../../core/errors/errors.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { compileSchema, summarize, type CompiledSchema } from '../../../core/schema/index.ts'

/** Runs a check of the part of the body at `pointer`, and prefixes the pointers of its errors. */
export function within<T>(pointer: string, work: () => T): T {
  try {
    const result = work()
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

/**
 * The parameters of a query string, with integers as numbers where the schema declares them.
 *
 * @throws ValidationError `query_invalid`; its pointers are `/<name of the parameter>`
 */
export function readQuery(search: string, schema: JsonSchema): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, text] of new URLSearchParams(`?${search}`)) {
    if (Object.hasOwn(values, name)) {
      const message = `the query parameter '${name.slice(0, 64)}' is given twice`
      throw new ValidationError('query_invalid', message, [{ pointer: `/${name.slice(0, 64)}`, message }])
    }
    const properties = schema.properties ?? {}
    const type = Object.hasOwn(properties, name) && properties[name]?.type
    values[name] = type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text
  }
  check(compileSchema(schema), values, 'query_invalid', 'the query')
  return values
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
