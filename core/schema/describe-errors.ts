import type { ErrorObject } from 'ajv'
import type { PointedMessage } from '../errors/errors.ts'
import type { JsonSchema } from '../plugin/index.ts'
import { nearest } from '../common/nearest.ts'
import { escapePointer } from './pointer.ts'

const maxShown = 20

/**
 * The validator's problems as sentences with pointers. Quotes only shortened names of unknown fields, never
 * values, which may be secret.
 */
export function describeErrors(
  errors: readonly ErrorObject[],
  schema: JsonSchema,
): readonly PointedMessage[] {
  const seen = new Set<string>()
  const described: PointedMessage[] = []
  for (const error of withoutRepeats(withoutNoise(errors))) {
    const next = describe(error, schema)
    const key = `${next.pointer}\n${next.message}`
    if (!seen.has(key)) described.push(next)
    seen.add(key)
  }
  if (described.length <= maxShown) return described
  return [
    ...described.slice(0, maxShown),
    { pointer: '', message: `and ${described.length - maxShown} more problems` },
  ]
}

/**
 * For `anyOf` and `oneOf`, ajv reports the problems of every branch and then that none matches. Keeps only
 * the branch that was probably meant, whose problems are deeper than the value itself; else only the summary.
 */
function withoutNoise(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword === 'if') continue
    if (error.keyword === 'propertyNames') {
      while (kept.at(-1)?.propertyName !== undefined) kept.pop()
    }
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      kept.push(error)
      continue
    }
    const branches: ErrorObject[] = []
    while (kept.length > 0 && belongsTo(kept.at(-1), error)) branches.unshift(kept.pop() as ErrorObject)
    const meant = meantBranch(branches, error)
    kept.push(...(meant.length > 0 ? meant : [error]))
  }
  return kept
}

/** Errors about the form of a string, most useful first. Only the first that occurs is reported. */
const saysForm = [
  ({ keyword, params }: ErrorObject): boolean => keyword === 'minLength' && params['limit'] === 1,
  ({ keyword }: ErrorObject): boolean => keyword === 'pattern',
  ({ keyword }: ErrorObject): boolean => keyword === 'format',
]

function withoutRepeats(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const first = new Map<string, number>()
  const rankOf = (error: ErrorObject): number => saysForm.findIndex((says) => says(error))
  for (const error of errors) {
    const rank = rankOf(error)
    if (rank !== -1) first.set(error.instancePath, Math.min(rank, first.get(error.instancePath) ?? rank))
  }
  return errors.filter((error) => [-1, first.get(error.instancePath)].includes(rankOf(error)))
}

function belongsTo(inner: ErrorObject | undefined, outer: ErrorObject): boolean {
  if (inner === undefined || !inner.instancePath.startsWith(outer.instancePath)) return false
  return inner.schemaPath.startsWith(`${outer.schemaPath}/`) || inner.schemaPath.startsWith('#/$defs/')
}

function meantBranch(errors: readonly ErrorObject[], outer: ErrorObject): readonly ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  for (const error of errors) {
    const rest = error.schemaPath.slice(outer.schemaPath.length + 1)
    const branch = error.schemaPath.startsWith(`${outer.schemaPath}/`) ? (rest.split('/')[0] ?? '') : '$defs'
    branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  const candidates = [...branches.values()].filter((branch) =>
    branch.every((error) => !mismatch(error, outer)),
  )
  return candidates.length === 1 ? (candidates[0] ?? []) : []
}

/** The branch is for a different kind of value. */
function mismatch(error: ErrorObject, outer: ErrorObject): boolean {
  if (['type', 'const', 'enum'].includes(error.keyword) && error.instancePath === outer.instancePath)
    return true
  // Branches often differ in a field with a constant value.
  return error.keyword === 'const'
}

function describe(error: ErrorObject, schema: JsonSchema): PointedMessage {
  const { instancePath: pointer, params } = error
  if (error.keyword === 'required' || error.keyword === 'dependentRequired') {
    return {
      pointer: `${pointer}/${escapePointer(String(params['missingProperty']))}`,
      message: 'is missing',
    }
  }
  if (error.keyword === 'additionalProperties') {
    const name = String(params['additionalProperty'])
    const near = nearest(name, fieldsAt(schema, error.schemaPath))
    const hint = near === undefined ? '' : `, did you mean '${near}'?`
    return {
      pointer: `${pointer}/${escapePointer(shorten(name))}`,
      message: `unknown field '${shorten(name)}'${hint}`,
    }
  }
  if (error.keyword === 'propertyNames') {
    const name = shorten(String(params['propertyName']))
    return { pointer: `${pointer}/${escapePointer(name)}`, message: `the name '${name}' is not allowed here` }
  }
  return { pointer, message: sentence(error, schema) }
}

function sentence(error: ErrorObject, schema: JsonSchema): string {
  const params = error.params as Readonly<Record<string, unknown>>
  switch (error.keyword) {
    case 'type':
      return `must be ${typeNames(params['type'])}`
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map(plain).join(', ')}`
    case 'const':
      return `must be ${plain(params['allowedValue'])}`
    case 'format':
      return `must be in the format ${String(params['format'])}`
    case 'pattern':
      return patternInWords(String(params['pattern']), schemaAround(error.schemaPath, schema))
    case 'minLength':
      return params['limit'] === 1
        ? 'must not be empty'
        : `must be at least ${String(params['limit'])} characters long`
    case 'maxLength':
      return `must be at most ${String(params['limit'])} characters long`
    case 'minItems':
      return `must have at least ${String(params['limit'])} items`
    case 'maxItems':
      return `must have at most ${String(params['limit'])} items`
    case 'minProperties':
      return `must have at least ${String(params['limit'])} fields`
    case 'maxProperties':
      return `must have at most ${String(params['limit'])} fields`
    case 'uniqueItems':
      return 'must not contain the same item twice'
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`
    case 'anyOf':
      return 'fits none of the allowed forms'
    case 'oneOf':
      return params['passingSchemas'] === null
        ? 'fits none of the allowed forms'
        : 'fits more than one of the forms'
    case 'not':
      return (
        schemaAround(error.schemaPath, schema)?.not?.patternErrorMessage ?? 'has a form that is not allowed'
      )
    case 'false schema':
      return 'is not allowed here'
    default:
      // Limits use ajv's own message, such as `must be >= 1`.
      return error.message ?? 'is not valid'
  }
}

const articles: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
}

function typeNames(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]) as readonly string[]
  return names.map((name) => articles[name] ?? name).join(' or ')
}

function plain(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}

function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name
}

/** The schema author's description of a pattern; the pattern itself only if there is none. */
function patternInWords(pattern: string, schema: JsonSchema | undefined): string {
  if (schema?.patternErrorMessage !== undefined) return schema.patternErrorMessage
  if (schema?.description !== undefined) return `does not have the right form: ${schema.description}`
  return `must match the pattern ${pattern}`
}

/** The fields declared beside the `additionalProperties` that `schemaPath` names. */
function fieldsAt(schema: JsonSchema, schemaPath: string): readonly string[] {
  return Object.keys(schemaAround(schemaPath, schema)?.properties ?? {})
}

/** The part of the schema that contains the keyword at `schemaPath`. */
function schemaAround(schemaPath: string, schema: JsonSchema): JsonSchema | undefined {
  let here: unknown = schema
  for (const segment of schemaPath.split('/').slice(1, -1)) {
    const key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
    here =
      typeof here === 'object' && here !== null && Object.hasOwn(here, key) ? here[key as never] : undefined
  }
  return here as JsonSchema | undefined
}
