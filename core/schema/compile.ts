import type { ErrorObject, ValidateFunction } from 'ajv'
import { ValidationError, type PointedMessage } from '../errors/errors.ts'
import type { JsonSchema } from '../plugin/index.ts'
import { createAjv } from './ajv.ts'
import { describeErrors } from './describe-errors.ts'
import { checkKeywords } from './keywords.ts'

/** A compiled schema, cached by content. */
export interface CompiledSchema {
  readonly schema: JsonSchema
  /** The problems of a value, at most 21; empty if it is valid. Neither changes nor quotes the value. */
  problems(value: unknown): readonly PointedMessage[]
}

/** Maximum number of cached schemas; the oldest is evicted. Plugins have a few hundred, playbooks more. */
const maxCached = 2_000

/** Values with more nodes than this are checked up to the first problem only. */
const maxNodesForAllErrors = 10_000

const first = createAjv({ allErrors: false, strictRequired: true })
/** For schemas that were checked before: the first check takes longer than reading a playbook. */
const checked = createAjv({ allErrors: false, strictRequired: true, isChecked: true })
const all = createAjv({ allErrors: true, strictRequired: true })
const byIdentity = new WeakMap<object, CompiledSchema>()
const byContent = new Map<string, CompiledSchema>()

/**
 * Compiles a schema that a plugin or a playbook declares. The schema must not be changed afterwards.
 *
 * @throws ValidationError `schema_invalid` for keywords that are not in `keywords.ts`, and for any other
 * mistake
 * @example compileSchema({ type: 'object', properties: { kind: { enum: ['ip', 'domain'] } } })
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const known = byIdentity.get(schema)
  if (known !== undefined) return known
  const problems = checkKeywords(schema)
  if (problems.length > 0) throw schemaInvalid(problems)
  const compiled = fromContent(schema)
  byIdentity.set(schema, compiled)
  return compiled
}

/**
 * The same for a schema, or a part of one, that {@link compileSchema} or the loading of a plugin checked
 * before.
 */
export function compileCheckedSchema(schema: JsonSchema): CompiledSchema {
  const known = byIdentity.get(schema) ?? fromContent(schema, checked)
  byIdentity.set(schema, known)
  return known
}

function fromContent(schema: JsonSchema, ajv = first): CompiledSchema {
  const content = JSON.stringify(schema)
  const kept = byContent.get(content)
  if (kept !== undefined) return kept
  const compiled = build(schema, ajv)
  byContent.set(content, compiled)
  const oldest = byContent.keys().next().value
  if (byContent.size > maxCached && oldest !== undefined) byContent.delete(oldest)
  return compiled
}

function build(schema: JsonSchema, ajv: typeof first): CompiledSchema {
  let validate: ValidateFunction
  try {
    validate = ajv.compile(schema)
  } catch (cause) {
    throw schemaInvalid([{ pointer: '', message: (cause as Error).message }], cause)
  } finally {
    ajv.removeSchema(schema)
  }
  return fromValidators(schema, validate, () => {
    const every = all.compile(schema)
    all.removeSchema(schema)
    return every
  })
}

/** `every` is compiled when the first value fails, because most never do. */
export function fromValidators(
  schema: JsonSchema,
  validate: ValidateFunction,
  every: () => ValidateFunction,
): CompiledSchema {
  let lazy: ValidateFunction | undefined
  return {
    schema,
    problems(value) {
      if (validate(value)) return []
      const size = measure(value)
      if (size.bigints) {
        // ajv does not know bigints, so integers beyond 2^53 are rounded in a copy that is used only for
        // checking.
        value = roundBigints(value)
        if (validate(value)) return []
      }
      if (size.nodes > maxNodesForAllErrors) return describeErrors(errorsOf(validate), schema)
      lazy ??= every()
      return lazy(value) ? [] : describeErrors(errorsOf(lazy), schema)
    },
  }
}

function errorsOf(validate: ValidateFunction): readonly ErrorObject[] {
  return validate.errors ?? []
}

function schemaInvalid(problems: readonly PointedMessage[], cause?: unknown): ValidationError {
  const shown = problems
    .slice(0, 5)
    .map(({ pointer, message }) => `${pointer === '' ? '/' : pointer} ${message}`)
  return new ValidationError('schema_invalid', `the schema cannot be used: ${shown.join('; ')}`, problems, {
    cause,
  })
}

function measure(value: unknown): { readonly nodes: number; readonly bigints: boolean } {
  let nodes = 0
  let bigints = false
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    nodes++
    if (typeof next === 'bigint') bigints = true
    else if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next)) open.push(inner)
  }
  return { nodes, bigints }
}

function roundBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(roundBigints)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, roundBigints(inner)]))
}
