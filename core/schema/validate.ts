import type { JsonSchema } from '../plugin/index.ts'
import { ValidationError, type PointedMessage } from '../errors/errors.ts'
import type { CompiledSchema } from './compile.ts'

/**
 * Checks a value and reports all problems. Does not change the value.
 *
 * @param what Name of the value in the message, e.g. `input of http.get`.
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

/**
 * Fills absent fields with the schema's defaults, at every existing depth. Copies what it changes; neither
 * the value nor the schema is modified.
 */
export function withDefaults(schema: JsonSchema, value: unknown): unknown {
  if (value === undefined && schema.default !== undefined) return structuredClone(schema.default)
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? value : value.map((item: unknown) => withDefaults(items, item))
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value
  return objectWithDefaults(schema.properties, value as Readonly<Record<string, unknown>>)
}

function objectWithDefaults(
  properties: Readonly<Record<string, JsonSchema>>,
  value: Readonly<Record<string, unknown>>,
): unknown {
  const changed: [string, unknown][] = []
  for (const [name, schema] of Object.entries(properties)) {
    const before = Object.hasOwn(value, name) ? value[name] : undefined
    const after = withDefaults(schema, before)
    if (after !== before) changed.push([name, after])
  }
  // fromEntries defines own fields, including `__proto__`.
  return changed.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...changed])
}
