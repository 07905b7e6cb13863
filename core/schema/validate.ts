import { ValidationError, type PointedMessage } from '../errors/errors.ts'
import type { CompiledSchema } from './compile.ts'

/**
 * Checks a value; says everything that is wrong with it, not only the first thing. The value is not changed.
 *
 * @param what How the value is called in the message, e.g. `input of http.get`.
 * @throws ValidationError `value_invalid`
 */
export function validate(compiled: CompiledSchema, value: unknown, what: string): void {
  const problems = compiled.problems(value)
  if (problems.length === 0) return
  throw new ValidationError('value_invalid', `${what} is not valid: ${summarize(problems)}`, problems)
}

/** The first three problems as one line. */
export function summarize(problems: readonly PointedMessage[]): string {
  const shown = problems
    .slice(0, 3)
    .map(({ pointer, message }) => (pointer === '' ? message : `${pointer} ${message}`))
  const more = problems.length - shown.length
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
