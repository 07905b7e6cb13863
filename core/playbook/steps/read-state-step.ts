import { merged } from '../../domain/mask.ts'
import {
  admitsNull,
  bool,
  dyn,
  explainMismatch,
  integer,
  isSensitive,
  nullable,
  object,
  string,
  timestamp,
  type Type,
} from '../../expression/index.ts'
import type { Sliced } from '../../common/sliced.ts'
import {
  isKeyed,
  operationsOfKind,
  stateLimits,
  stateOperations,
  type StateDeclaration,
  type StateKind,
  type StateOperation,
} from '../../state/state.ts'
import { checkFit, checkLiteral } from '../check/check-fit.ts'
import { maskOfType } from '../check/mask-of-type.ts'
import { suggest } from '../language/did-you-mean.ts'
import { grammar } from '../language/grammar.ts'
import type { StateStep } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import { valueTypeOf } from '../read/read-state.ts'
import type { ReadContext } from '../scope/context.ts'
import type { NameScope } from '../scope/scope.ts'
import { compileValue } from '../template/expressions.ts'
import { headSpan, readFields, readText, type Fields } from '../template/fields.ts'
import { keptValue } from '../template/kept-value.ts'
import { typeInWords } from '../template/plain-words.ts'
import type { TypedTemplate } from '../template/typed-template.ts'
import type { Entry } from '../yaml/document.ts'
import type { ActionResult } from './read-actions.ts'

type StatePart = Pick<StateStep, 'action' | 'operation' | 'state' | 'stateKey' | 'value' | 'expected' | 'by'>

/** Reads a step with `state`: one operation on a declared state. */
export function* readStateStep(
  context: ReadContext,
  entry: Entry,
  scope: NameScope,
): Sliced<ActionResult<StatePart> & { readonly isRead?: boolean; readonly isComparison?: boolean }> {
  const fields = readFields(context.problems, entry.value, grammar.state)
  const chosen = fields && chooseOperation(context, fields, entry)
  const declared = chosen && declarationOf(context, chosen)
  if (fields === undefined || chosen === undefined) return { part: undefined, output: dyn }
  const key = yield* compiled(context, fields, 'key', scope)
  const value = yield* compiled(context, fields, 'value', scope)
  const expected = yield* compiled(context, fields, 'expected', scope)
  const by = yield* compiled(context, fields, 'by', scope)
  if (declared === undefined) return { part: undefined, output: dyn }
  const { operation, name } = chosen
  if (!checkOperation(context, chosen, declared)) return { part: undefined, output: dyn }
  checkKeys(context, fields, chosen, declared)
  if (key) checkKey(context, key)
  for (const given of [value, expected]) if (given) checkValue(context, given, declared, given === expected)
  if (by) checkBy(context, by)
  if (!declared.sensitive)
    for (const given of [key, value, expected, by]) if (given) refuseSensitive(context, given, name)
  return {
    part: {
      action: 'state',
      operation,
      state: name,
      stateKey: key?.template,
      value: value?.template,
      expected: expected?.template,
      by: by?.template,
    },
    output: stateOutputType(operation, declared, expected !== undefined),
    given: givenMask(declared, { key, value, expected, by }),
    isRead: operation === 'get',
    isComparison: expected !== undefined,
  }
}

interface Chosen {
  readonly operation: StateOperation
  readonly entry: Entry
  readonly name: string
}

function chooseOperation({ problems }: ReadContext, fields: Fields, entry: Entry): Chosen | undefined {
  const present = stateOperations.filter((operation) => fields.has(operation))
  const [operation, second] = present
  if (second !== undefined) {
    const message = `\`state\` has one operation; found \`${operation}\` and \`${second}\``
    problems.add('E109', message, fields.get(second)!.key, 'split them into separate steps')
  }
  if (operation === undefined) {
    if (!problems.hasErrorIn(entry.value)) {
      const hint = `add one of ${stateOperations.join(', ')}, with the name of the state`
      problems.add('E109', '`state` has no operation', headSpan(entry.value), hint)
    }
    return undefined
  }
  const own = fields.get(operation)!
  const name = readText(problems, own, undefined, 'write the name of the state')
  return name === undefined ? undefined : { operation, entry: own, name }
}

/** Undefined: unknown or invalid, which has been reported. */
function declarationOf(
  { problems, states }: ReadContext,
  { name, entry }: Chosen,
): StateDeclaration | undefined {
  const { state, invalid } = states
  const found = state.get(name)
  if (found !== undefined || invalid.has(name)) return found
  const hint =
    state.size === 0 ? `declare it at the top: state: { ${name}: { … } }` : suggest(name, [...state.keys()])
  problems.add('E340', `unknown state ${quote(name)}`, entry.value, hint)
  return undefined
}

function checkOperation(
  { problems }: ReadContext,
  { operation, name, entry }: Chosen,
  { kind }: StateDeclaration,
): boolean {
  if (operationsOfKind[kind].includes(operation)) return true
  const message = `${quote(name)} is a ${kind}, which has no \`${operation}\``
  problems.add('E341', message, entry.key, hintForOperation(operation, kind, name))
  return false
}

function hintForOperation(operation: StateOperation, kind: StateKind, name: string): string {
  if (operation === 'get') return `read it in an expression: state.${name}`
  if (operation === 'add' && kind === 'counter') return `write increment: ${name}`
  if (operation === 'set' && kind === 'set') return `write add: ${name}`
  return `possible: ${operationsOfKind[kind].join(', ')}`
}

/** Reports keys that the operation lacks or does not have. */
function checkKeys(
  { problems }: ReadContext,
  fields: Fields,
  { operation, name, entry }: Chosen,
  { kind }: StateDeclaration,
): void {
  const key = fields.get('key')
  if (isKeyed(kind) && !key)
    problems.add('E341', `${quote(name)} has entries: \`key\` is missing`, entry.key, "add key: '${{ … }}'")
  if (!isKeyed(kind) && key)
    problems.add('E341', `${quote(name)} is a ${kind}, which has no entries`, key.key, 'leave out the key')
  if (operation === 'set' && !fields.has('value'))
    problems.add('E105', '`set` needs `value`', entry.key, 'add value: the new value')
  for (const [owner, names] of [
    ['set', ['value', 'expected']],
    ['increment', ['by']],
  ] as const) {
    const misplaced = operation === owner ? [] : names.filter((each) => fields.has(each))
    for (const each of misplaced) {
      const hint = operation === 'add' && each === 'value' ? 'write key' : `use it with \`${owner}\``
      problems.add('E112', `\`${each}\` does not belong to \`${operation}\``, fields.get(each)!.key, hint)
    }
  }
}

function checkKey({ problems }: ReadContext, key: TypedTemplate): void {
  const { template, type } = key
  if (template.kind === 'literal' && typeof template.value === 'string') {
    if (template.value.length <= stateLimits.keyLength && template.value !== '') return
    problems.add(
      'E341',
      `a key has 1 to ${stateLimits.keyLength} characters`,
      key,
      'use sha256(…) for a long key',
    )
  } else if (template.kind !== 'text' && explainMismatch(type, string) !== undefined) {
    problems.add('E341', `expected a string for \`key\`, found ${typeInWords(type)}`, key, 'write string(…)')
  }
}

const codes = { unknown: 'E342', missing: 'E342', misfit: 'E342' } as const

function checkValue(
  { problems }: ReadContext,
  given: TypedTemplate,
  declared: StateDeclaration,
  isExpected: boolean,
): void {
  const expected = isExpected && !admitsNull(declared.type) ? nullable(declared.type) : declared.type
  const what = isExpected ? 'expected' : 'value'
  checkFit(problems, given, expected, what, codes)
  if (problems.hasErrorIn(given) || declared.schema === undefined) return
  if (!(isExpected && given.type.kind === 'null'))
    checkLiteral(problems, given, declared.schema, what, 'E342')
}

function checkBy({ problems }: ReadContext, by: TypedTemplate): void {
  checkFit(problems, by, integer, 'by', codes)
}

/** Sensitive values may be kept only where they are declared sensitive. */
function refuseSensitive({ problems }: ReadContext, given: TypedTemplate, name: string): void {
  if (!isSensitive(given.type)) return
  const message = `a sensitive value would be kept in ${quote(name)}, which is not declared sensitive`
  problems.add('E315', message, given, 'add sensitive: true to the state')
}

function* compiled(
  context: ReadContext,
  fields: Fields,
  name: string,
  scope: NameScope,
): Sliced<TypedTemplate | undefined> {
  const entry = fields.get(name)
  return entry && keptValue(context.problems, yield* compileValue(context, scope, entry.value))
}

/** The type of the output of a step with `state`; `isConditional`: it has `expected`. */
export function stateOutputType(
  operation: StateOperation,
  declared: StateDeclaration,
  isConditional: boolean,
): Type {
  const value = valueTypeOf(declared)
  const orNull = declared.default === undefined && declared.kind !== 'counter' && declared.kind !== 'counters'
  switch (operation) {
    case 'set':
      return object({ ok: bool, value: isConditional && orNull ? nullable(value) : value })
    case 'increment':
      return object({ value })
    case 'add':
      return object({ new: bool, added_at: timestamp })
    case 'get':
      if (declared.kind === 'counters') return object({ value })
      return declared.kind === 'set'
        ? object({ found: bool, added_at: nullable(timestamp) })
        : object({ found: bool, value: orNull ? nullable(value) : value })
    case 'delete':
      return object({ deleted: bool })
  }
}

function givenMask(
  { sensitive }: StateDeclaration,
  parts: Readonly<Record<'key' | 'value' | 'expected' | 'by', TypedTemplate | undefined>>,
) {
  const fields = Object.entries(parts).flatMap(([name, part]) => {
    const mask = sensitive ? true : part && maskOfType(part.type)
    return part === undefined || mask === undefined ? [] : [{ fields: { [name]: mask } }]
  })
  return merged(...fields)
}
