import type { PointedMessage } from '../errors/errors.ts'
import { escapePointer } from './pointer.ts'

/**
 * The allowed keywords of schemas in plugins and playbooks. The list is short on purpose: the validator, the
 * expression checker and `Infer` all support each keyword, or can ignore it safely. Excluded are keywords
 * whose cost an alert's author could control (`uniqueItems` over objects, `patternProperties`), and `$ref` to
 * another document.
 */
const keywords: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  $schema: text,
  $id: text,
  $ref: (value) =>
    typeof value === 'string' && value.startsWith('#/$defs/')
      ? undefined
      : 'must point into this schema: #/$defs/<name>',
  $defs: object,
  title: text,
  description: text,
  default: anything,
  examples: list,
  type: typeNames,
  enum: (value) => (Array.isArray(value) && value.length > 0 ? scalars(value) : 'must be a list of values'),
  const: (value) => scalars([value]),
  anyOf: list,
  oneOf: list,
  allOf: list,
  not: object,
  properties: object,
  required: list,
  additionalProperties: (value) => (typeof value === 'boolean' ? undefined : object(value)),
  propertyNames: object,
  minProperties: size,
  maxProperties: size,
  items: object,
  minItems: size,
  maxItems: size,
  uniqueItems: flag,
  minLength: size,
  maxLength: size,
  pattern: text,
  patternErrorMessage: text,
  format: (value) => (formats.includes(value as string) ? undefined : `must be one of ${formats.join(', ')}`),
  minimum: numeric,
  maximum: numeric,
  exclusiveMinimum: numeric,
  exclusiveMaximum: numeric,
  multipleOf: numeric,
  if: object,
  // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's word
  then: object,
  else: object,
  dependentRequired: object,
  'x-secret': flag,
  'x-sensitive': flag,
  'x-message': flag,
  'x-path': flag,
  'x-accepts-sensitive': flag,
}

/** All keywords that a schema may use. */
export const keywordNames: readonly string[] = Object.keys(keywords)

/** Formats that are checked, all in linear time. */
export const formats: readonly string[] = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'ip',
  'uri',
  'uuid',
  'json-pointer',
]

const types = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
const one = new Set(['not', 'propertyNames', 'items', 'if', 'then', 'else', 'additionalProperties'])
const many = new Set(['anyOf', 'oneOf', 'allOf'])
const named = new Set(['properties', '$defs'])

/** Maximum nesting depth of a schema. */
const maxDepth = 50

/** Every keyword of `schema` that is not allowed, with its pointer; empty if all are allowed. */
export function checkKeywords(schema: unknown): readonly PointedMessage[] {
  const problems: PointedMessage[] = []
  visit(schema, '', 0, problems)
  return problems
}

function visit(schema: unknown, pointer: string, depth: number, problems: PointedMessage[]): void {
  if (depth > maxDepth) {
    problems.push({ pointer, message: `is nested deeper than ${maxDepth} levels` })
    return
  }
  const wrong = object(schema)
  if (wrong !== undefined) {
    problems.push({ pointer, message: wrong })
    return
  }
  for (const [keyword, value] of Object.entries(schema as object)) {
    const at = `${pointer}/${escapePointer(keyword)}`
    const check = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined
    const message = check === undefined ? `unknown keyword '${keyword}'` : check(value)
    if (message !== undefined) problems.push({ pointer: at, message })
    else visitInside(keyword, value, at, depth + 1, problems)
  }
  checkUniqueItems(schema as Record<string, unknown>, pointer, problems)
}

function visitInside(
  keyword: string,
  value: unknown,
  at: string,
  depth: number,
  problems: PointedMessage[],
): void {
  if (one.has(keyword)) {
    if (typeof value !== 'boolean') visit(value, at, depth, problems)
  } else if (many.has(keyword)) {
    for (const [index, schema] of (value as unknown[]).entries())
      visit(schema, `${at}/${index}`, depth, problems)
  } else if (named.has(keyword)) {
    for (const [name, schema] of Object.entries(value as object)) {
      const inner = `${at}/${escapePointer(name)}`
      if (name === '__proto__') problems.push({ pointer: inner, message: 'is not a usable name' })
      else visit(schema, inner, depth, problems)
    }
  }
}

/** Comparing objects pairwise is quadratic, and the other system chooses the length of the list. */
function checkUniqueItems(
  schema: Record<string, unknown>,
  pointer: string,
  problems: PointedMessage[],
): void {
  if (schema['uniqueItems'] !== true) return
  const type = (schema['items'] as { type?: unknown } | undefined)?.type
  if (type === 'string' || type === 'integer' || type === 'number') return
  problems.push({
    pointer: `${pointer}/uniqueItems`,
    message: 'needs items of type string, integer or number',
  })
}

function anything(): undefined {
  return undefined
}
function text(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'must be a string'
}
function flag(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be true or false'
}
function numeric(value: unknown): string | undefined {
  return typeof value === 'number' ? undefined : 'must be a number'
}
function size(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be a whole number from 0'
}
function list(value: unknown): string | undefined {
  return Array.isArray(value) ? undefined : 'must be a list'
}
function object(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? undefined
    : 'must be an object'
}
function scalars(values: readonly unknown[]): string | undefined {
  return values.every((value) => value === null || typeof value !== 'object')
    ? undefined
    : 'must hold only texts, numbers, booleans and null'
}
function typeNames(value: unknown): string | undefined {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => types.includes(name as string))
    ? undefined
    : `must be one of ${types.join(', ')}, or a list of them`
}
