import {
  describeType,
  explainMismatch,
  membersOf,
  type ObjectType,
  type Type,
} from '../../expression/index.ts'
import { ValidationError } from '../../errors/errors.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import { almost, nearest } from '../../common/nearest.ts'
import { inputProblems } from '../template/inputs.ts'
import { warnOfKept } from '../template/kept-value.ts'
import { suggest, suggestNearest } from '../language/did-you-mean.ts'
import { parseDurationMs, parseTimeMs } from '../language/durations.ts'
import type { ProblemCode } from '../language/problem-catalogue.ts'
import { literalHint, typeInWords, valueInWords } from '../template/plain-words.ts'
import { quote, type Problems } from '../language/problem.ts'
import { partsOf } from '../yaml/plain-value.ts'
import { hintInQuotes } from '../yaml/repairs.ts'
import type { Span } from '../language/source-text.ts'
import type { TypedTemplate } from '../template/typed-template.ts'

/** The codes of misfits: inputs of skills have separate codes for unknown and missing ones. */
export interface FitCodes {
  readonly unknown: ProblemCode
  readonly missing: ProblemCode
  readonly misfit: ProblemCode
}

/** Reports the parts of a value that do not fit a type. Returns whether all of it fits. */
export function checkFit(
  problems: Problems,
  value: TypedTemplate,
  expected: Type,
  what: string,
  codes: FitCodes,
  head: Span = value,
): boolean {
  const target = value.entries
    ? mapFor(value, expected)
    : value.items
      ? onlyMember(expected, 'list')
      : undefined
  if (value.entries && target?.kind === 'object')
    return checkObject(problems, value, target, what, codes, head)
  if (value.entries && target?.kind === 'map') {
    const { value: type } = target
    return value.entries
      .map(({ name, key, value: part }) => checkFit(problems, part, type, joined(what, name), codes, key))
      .every((fits) => fits)
  }
  if (value.items && target?.kind === 'list') {
    const { element } = target
    return value.items
      .map((item, at) => checkFit(problems, item, element, `${what}[${at}]`, codes))
      .every((fits) => fits)
  }
  return checkLeaf(problems, value, expected, what, codes)
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function onlyMember(type: Type, kind: Type['kind']): Type | undefined {
  const found = membersOf(type).filter((member) => member.kind === kind)
  return found.length === 1 ? found[0] : undefined
}

type MapType = Extract<Type, { readonly kind: 'object' | 'map' }>

/** The map type that is nearest to the value, if several are possible and none fits. */
function mapFor({ entries = [], type }: TypedTemplate, expected: Type): MapType | undefined {
  const maps = membersOf(expected).filter((member) => member.kind === 'object' || member.kind === 'map')
  if (maps.length < 2) return maps[0]
  if (explainMismatch(type, expected) === undefined) return undefined
  const given = new Map(entries.map(({ name, value }) => [name, value.type]))
  const misfits = (candidate: MapType) => {
    const properties: ObjectType['properties'] =
      candidate.kind === 'object' ? candidate.properties : new Map()
    const others = candidate.kind === 'object' ? candidate.additional : candidate.value
    const missing = [...properties].filter(([name, each]) => each.optional !== true && !given.has(name))
    const wrong = [...given].filter(([name, part]) => {
      const wanted = properties.get(name)?.type ?? others
      return wanted === undefined || explainMismatch(part, wanted) !== undefined
    })
    return missing.length + wrong.length
  }
  return maps.toSorted((a, b) => misfits(a) - misfits(b))[0]
}

function checkObject(
  problems: Problems,
  value: TypedTemplate,
  expected: ObjectType,
  what: string,
  codes: FitCodes,
  head: Span,
): boolean {
  const nested = { ...codes, unknown: codes.misfit, missing: codes.misfit }
  const names = [...expected.properties.keys()]
  const given = new Set<string>()
  let fits = true
  for (const { name, key, value: part } of value.entries ?? []) {
    given.add(name)
    const type = expected.properties.get(name)?.type ?? expected.additional
    const path = joined(what, name)
    if (type !== undefined) {
      if (!expected.properties.has(name)) warnOfUnlisted(problems, name, path, key, names)
      fits = checkFit(problems, part, type, path, nested, key) && fits
    } else {
      const isInput = codes.unknown === 'E305'
      const message = isInput ? `unknown input ${quote(path)}` : `unknown field ${quote(path)}`
      problems.add(codes.unknown, message, key, () => suggest(name, names))
      // A misspelled field is not reported as missing.
      given.add(nearest(name, names) ?? '')
      fits = false
    }
  }
  for (const [name, { type, optional }] of expected.properties) {
    if (optional === true || given.has(name)) continue
    const path = joined(what, name)
    const hint = type.kind === 'dyn' ? undefined : `give ${typeInWords(type)}`
    problems.add(codes.missing, `${quote(path)} is required`, head, hint)
    fits = false
  }
  return fits
}

function checkLeaf(
  problems: Problems,
  value: TypedTemplate,
  expected: Type,
  what: string,
  codes: FitCodes,
): boolean {
  const label = what === '' ? '' : `${what}: `
  const texts = membersOf(expected).filter((member) => member.kind === 'string')
  const choices = texts.flatMap(({ values = [] }) => values)
  const areAll = choices.length > 0 && texts.every(({ values }) => values)
  if (areAll && reportStray(problems, value, choices, label)) return false
  const reason = explainMismatch(value.type, expected)
  if (reason === undefined || isWrittenTime(value, expected)) {
    warnOfKept(problems, value)
    return true
  }
  const parts = membersOf(value.type)
  const { template } = value
  if (template.kind === 'literal' && typeof template.value === 'string' && choices.length > 0) {
    const message = `${label}${quote(template.value)} is not one of ${choices.join(', ')}`
    problems.add('E202', message, value, suggestNearest(template.value, choices))
  } else if (parts.some((part) => part.kind === 'optional')) {
    problems.add('E206', `${label}the value may be missing`, value, 'add .orValue(…)')
  } else if (parts.length > 1 && parts.some((part) => part.kind === 'null')) {
    const message = `${label}the value may be null; expected ${describeType(expected)}`
    problems.add('E207', message, value, nullHint(value))
  } else {
    const hint = hintFor(value, expected)
    problems.add(codes.misfit, misfit(value, expected, what, reason), value, hint)
  }
  return false
}

/** Warns of a name that an open schema does not list, if it is almost the name of a listed field. */
function warnOfUnlisted(
  problems: Problems,
  name: string,
  path: string,
  key: Span,
  names: readonly string[],
): void {
  const meant = almost(name, names)
  if (meant !== undefined)
    problems.add('W420', `${quote(path)} is not a listed field`, key, `did you mean '${meant}'?`)
}

/** Names the value if it is short. */
function nullHint({ template }: TypedTemplate): string {
  const read = template.kind === 'expression' ? template.program.source.trim() : ''
  const value = /^[\w.[\]]{1,60}$/.test(read) ? read : 'x'
  return `write ${value} == null ? … : ${value}`
}

/** Reports literals of an expression that are not among the choices. */
function reportStray(
  problems: Problems,
  { written = [] }: TypedTemplate,
  choices: readonly string[],
  label: string,
): boolean {
  const stray = written.filter(({ text }) => !choices.includes(text))
  for (const { text, start, end } of stray) {
    const message = `${label}${quote(text)} is not one of ${choices.join(', ')}`
    problems.add('E202', message, { start, end }, suggestNearest(text, choices))
  }
  return stray.length > 0
}

/** Whether a literal string is a valid time or duration. */
function isWrittenTime({ template }: TypedTemplate, expected: Type): boolean {
  if (template.kind !== 'literal' || typeof template.value !== 'string') return false
  const text = template.value
  return membersOf(expected).some(
    ({ kind }) =>
      (kind === 'timestamp' && parseTimeMs(text) !== undefined) ||
      (kind === 'duration' && parseDurationMs(text) !== undefined),
  )
}

/** The message in words, except for a misfit deep inside the value of an expression. */
function misfit(value: TypedTemplate, expected: Type, what: string, reason: string): string {
  const isDeep =
    value.template.kind === 'expression' && membersOf(expected).some(({ kind }) => kind === value.type.kind)
  if (isDeep) return what === '' ? reason : `${what}: ${reason}`
  const subject = what === '' ? '' : ` for ${quote(what)}`
  return `expected ${typeInWords(expected)}${subject}, found ${valueInWords(value)}`
}

function hintFor(value: TypedTemplate, expected: Type): string | undefined {
  const { template, type } = value
  if (expected.kind === 'string' && template.kind === 'expression') {
    const kinds = membersOf(type).map(({ kind }) => kind)
    if (kinds.includes('list')) return hintInQuotes(value.style ?? 'plain', "join it: .join(', ')")
    if (kinds.includes('object') || kinds.includes('map')) return 'select a field of it, or write json(…)'
    return kinds.every((kind) => kind === 'string') ? undefined : 'write string(…)'
  }
  return literalHint(value, expected)
}

/** Checks a literal against the other keywords of its schema: lengths, patterns, bounds, formats. */
export function checkLiteral(
  problems: Problems,
  value: TypedTemplate,
  schema: JsonSchema,
  what: string,
  code: ProblemCode,
): void {
  if (value.template.kind !== 'literal') return
  for (const { pointer, message } of schemaProblems(schema, value.template.value)) {
    problems.add(code, `${what}${pointer.replaceAll('/', '.')}: ${message}`, partAt(value, pointer))
  }
}

function schemaProblems(schema: JsonSchema, value: unknown) {
  try {
    return inputProblems(schema, value)
  } catch (error) {
    // The catalogue rejects plugins with invalid schemas.
    if (error instanceof ValidationError) return []
    throw error
  }
}

function partAt(value: TypedTemplate, pointer: string): Span {
  let at = value
  for (const name of partsOf(pointer)) {
    const next = at.items?.[Number(name)] ?? at.entries?.find((entry) => entry.name === name)?.value
    if (next === undefined) return at
    at = next
  }
  return at
}
