import { ValidationError, type PointedMessage } from '../../errors/errors.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import { compileCheckedSchema, formatPointer } from '../../schema/index.ts'
import { durationPattern } from '../language/durations.ts'
import type { Input, Inputs, Playbook } from '../language/playbook.ts'

/** The JSON Schemas of `type: duration` and `type: timestamp`. */
export const durationSchema: JsonSchema = {
  type: 'string',
  minLength: 2,
  pattern: durationPattern,
  patternErrorMessage: 'must be a duration such as 500ms, 30s, 5m, 2h, 1d or 1h30m',
}
export const timestampSchema: JsonSchema = { type: 'string', format: 'date-time' }

/** The problems of a value for an input. */
export function inputProblems(schema: JsonSchema, value: unknown): readonly PointedMessage[] {
  const fits = isDurationSchema(schema) ? isDuration(value) : undefined
  const problems = fits === undefined ? compileCheckedSchema(schema).problems(value) : []
  if (fits === true || (fits === undefined && problems.length === 0)) return []
  if (schema.pattern !== durationPattern) return problems
  return [{ pointer: '', message: 'must be a duration, such as 500ms, 30s, 5m, 2h, 1d or 1h30m' }]
}

/** Whether it is the plain schema of durations. Checked without a validator, since compiling one is slow. */
export const isDurationSchema = (schema: JsonSchema): boolean =>
  schema.pattern === durationPattern &&
  Object.entries(schema).every(
    ([keyword, value]) => keyword === 'description' || value === durationSchema[keyword as keyof JsonSchema],
  )

const duration = new RegExp(durationPattern)
const isDuration = (value: unknown): boolean =>
  typeof value === 'string' && value.length >= 2 && value.length <= 100 && duration.test(value)

/**
 * The inputs of a run: the given ones, and the defaults of the others.
 *
 * @throws ValidationError `inputs_invalid` with every unknown, missing or invalid input
 */
export function resolveInputs(
  { inputs, name }: Pick<Playbook, 'inputs' | 'name'>,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const errors: PointedMessage[] = []
  for (const key of Object.keys(given)) {
    if (!inputs.has(key))
      errors.push({ pointer: formatPointer([key]), message: 'is not an input of the playbook' })
  }
  const resolved = Object.fromEntries(
    Array.from(inputs, ([key, input]) => [key, resolveInput(key, input, given, errors)] as const),
  )
  if (errors.length === 0) return resolved
  const [first] = errors
  const message = `the inputs do not fit the playbook '${name}': ${first!.pointer.slice(1)} ${first!.message}`
  throw new ValidationError('inputs_invalid', message, errors, { hint: hintFor(inputs) })
}

function resolveInput(
  key: string,
  input: Input,
  given: Readonly<Record<string, unknown>>,
  errors: PointedMessage[],
): unknown {
  if (!Object.hasOwn(given, key)) {
    if (input.default) return input.default.value
    errors.push({ pointer: formatPointer([key]), message: 'is required' })
    return undefined
  }
  const value = given[key]
  for (const { pointer, message } of inputProblems(input.schema, value)) {
    errors.push({ pointer: formatPointer([key]) + pointer, message })
  }
  return value
}

function hintFor(inputs: Inputs): string {
  if (inputs.size === 0) return 'the playbook takes no inputs'
  return `it takes ${Array.from(inputs, ([name, input]) => (input.default ? `${name} (optional)` : name)).join(', ')}`
}
