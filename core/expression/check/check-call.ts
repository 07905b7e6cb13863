import type { CallNode, AstNode } from '../parse/ast.ts'
import { conversionHint, fromMilliseconds, withoutValues } from './operator-hints.ts'
import type { Checker, TypeScope } from './checker.ts'
import { Fault } from '../values/errors.ts'
import type { ExpressionFunction, Overload, ParameterType } from '../functions/function.ts'
import { allFunctions, findFunction } from '../functions/standard-library.ts'
import { nearest } from '../../common/nearest.ts'
import {
  derived,
  describeType,
  duration,
  dyn,
  isNumeric,
  membersOf,
  taken,
  timeKind,
  timestamp,
  union,
  type Type,
} from '../types/types.ts'

/** Function names of other languages. */
const habits: ReadonlyMap<string, string> = new Map([
  ['toLowerCase', 'write lowerAscii()'],
  ['lower', 'write lowerAscii()'],
  ['toUpperCase', 'write upperAscii()'],
  ['upper', 'write upperAscii()'],
  ['includes', 'write text.contains(part), or value in list'],
  ['len', 'write size(x)'],
  ['length', 'write size(x)'],
  ['count', 'write size(x)'],
  ['now', 'now is a name: write it without ()'],
  ['some', 'write list.exists(x, condition)'],
  ['any', 'write list.exists(x, condition)'],
  ['every', 'write list.all(x, condition)'],
  ['strip', 'write trim()'],
  ['match', 'write text.matches(pattern)'],
  ['test', 'write text.matches(pattern)'],
  ['search', 'write text.matches(pattern)'],
  ['regex', 'write text.matches(pattern)'],
  ['regex_match', 'write text.matches(pattern)'],
  ['today', 'write now'],
  ['utcnow', 'write now'],
  ['date', 'write timestamp(…)'],
  ['parseInt', 'write int(…)'],
  ['parseFloat', 'write double(…)'],
  ['float', 'write double(…)'],
  ['number', 'write double(…)'],
  ['first', 'write list[0]'],
  ['find', 'write list.filter(x, condition)[0], or text.indexOf(part)'],
  ['keys', 'map(k, …) iterates over the keys: m.map(k, k)'],
  ['values', 'map(k, …) iterates over the keys: m.map(k, m[k])'],
  ['slice', 'write text.substring(from, to)'],
  ['substr', 'write text.substring(from, to)'],
  ['concat', 'join strings and lists with +'],
  ['max', 'write list.filter(x, list.all(y, x >= y))[0]'],
  ['min', 'write list.filter(x, list.all(y, x <= y))[0]'],
  ['get', 'write x.?field.orValue(default)'],
  ['default', 'write x.?field.orValue(default)'],
  ['uint', 'write int(x)'],
  ['bytes', 'bytes are not supported'],
])

const macroNames = new Set([
  'all',
  'exists',
  'exists_one',
  'existsOne',
  'map',
  'filter',
  'optMap',
  'optFlatMap',
])

/** The type of a call, reporting unknown functions and arguments that do not fit. */
export function checkCall(checker: Checker, node: CallNode, scope: TypeScope): Type {
  const nodes = node.target ? [node.target, ...node.args] : node.args
  if (macroNames.has(node.name) && node.target) {
    checker.infer(node.target, scope)
    if (checker.isBroken(node)) return dyn
    const message = `${node.name}() takes a name and an expression`
    checker.problem('wrong_arguments', message, node.nameSpan, `write it like list.${node.name}(x, …)`)
    return dyn
  }
  const found = findFunction(node.name, node.target !== undefined)
  if (!found) {
    inferUnknown(checker, node, scope)
    reportUnknown(checker, node)
    return dyn
  }
  const types = nodes.map((each) => checker.infer(each, scope))
  const fitting = found.overloads.filter((overload) => overload.parameters.length === nodes.length)
  if (fitting.length === 0) {
    reportCount(checker, node, found)
    return dyn
  }
  if (fitting[0]!.parameters.every((_, at) => !isNullProblem(checker, fitting, nodes[at]!, types[at]!, at))) {
    const overload = fitting.find(({ parameters }) =>
      parameters.every((each, at) => accepts(each, types[at]!)),
    )
    if (overload) {
      checkLiterals(checker, nodes, found)
      doubtArguments(checker, node, nodes, types, fitting)
      if (node.name === 'timestamp') checkSeconds(checker, nodes[0]!, types[0]!)
      return resultOf(node.name, overload, types)
    }
    reportArgument(checker, node, nodes, types, fitting)
  }
  return typeof fitting[0]!.result === 'function' ? dyn : fitting[0]!.result
}

/** Their results do not reveal the value itself. */
const measuring: ReadonlySet<string> = new Set(['size', 'type'])

function resultOf(name: string, { result }: Overload, types: readonly Type[]): Type {
  // Functions of optionals return one of their arguments.
  if (typeof result === 'function') return taken(result(types), types)
  return measuring.has(name) ? result : derived(result, types)
}

function doubtArguments(
  checker: Checker,
  { name }: CallNode,
  nodes: readonly AstNode[],
  types: readonly Type[],
  fitting: readonly Overload[],
): void {
  for (const [at, node] of nodes.entries()) {
    const works = (member: Type) => fitting.some(({ parameters }) => acceptsOne(parameters[at]!, member))
    checker.doubt(node, types[at]!, works, (stray) => `${name}() does not work on ${stray}`)
    if (fitting[0]!.parameters[at] === 'strings') doubtElements(checker, name, node, types[at]!)
  }
}

/** A list of strings may also contain other types, such as null. */
function doubtElements(checker: Checker, name: string, node: AstNode, type: Type): void {
  const elements = membersOf(type).flatMap((each) => (each.kind === 'list' ? membersOf(each.element) : []))
  const stray = elements.filter(({ kind }) => !textual.has(kind))
  if (stray.length === 0) return
  const kinds = stray.map(({ kind }) => kind)
  const hint = kinds.includes('null')
    ? 'leave out nulls: .filter(x, x != null)'
    : kinds.includes('optional')
      ? 'leave out missing values: [?x.?field]'
      : 'convert its elements: .map(x, string(x))'
  const found = describeType(union(stray))
  const message = `${checker.text(node)} may hold ${found}: ${name}() does not work on it`
  checker.doubts.push({ code: 'mixed_type', message, hint, start: node.start, end: node.end })
}

const textual = new Set<Type['kind']>(['string', 'dyn', 'timestamp', 'duration'])

function isNullProblem(
  checker: Checker,
  overloads: readonly Overload[],
  node: AstNode,
  type: Type,
  at: number,
): boolean {
  if (overloads.some((overload) => overload.parameters[at] === 'value')) return false
  return checker.mayBeNull(node, type)
}

/** `timestamp()` counts seconds. */
function checkSeconds(checker: Checker, node: AstNode, type: Type): void {
  if (type.kind !== 'number' || type.unit !== 'epoch_ms') return
  const hint = fromMilliseconds(checker.text(node))
  checker.problem('wrong_type', 'timestamp() takes seconds since 1970', node, hint)
}

function accepts(parameter: ParameterType, type: Type): boolean {
  return membersOf(type).some((member) => acceptsOne(parameter, member))
}

/** Parameters that accept other types than the one of the same name. */
const acceptance: Partial<Record<ParameterType, (type: Type) => boolean>> = {
  any: () => true,
  value: () => true,
  number: isNumeric,
  int: (type) => type.kind === 'int' || type.kind === 'number',
  strings: (type) =>
    type.kind === 'list' && membersOf(type.element).some(({ kind }) => kind === 'string' || kind === 'dyn'),
  map: (type) => type.kind === 'map' || type.kind === 'object',
  timestamp: (type) => timeKind(type) === 'timestamp',
  duration: (type) => timeKind(type) === 'duration',
}

function acceptsOne(parameter: ParameterType, type: Type): boolean {
  if (type.kind === 'dyn') return true
  const accepted = acceptance[parameter]
  return accepted ? accepted(type) : type.kind === parameter
}

/** The arguments of an unknown function. In `list.filtr(x, x > 1)` the name is a variable. */
function inferUnknown(checker: Checker, { target, args }: CallNode, scope: TypeScope): void {
  if (target) checker.infer(target, scope)
  const last = args.at(-1)
  const names = args.slice(0, -1).map((node) => (node.kind === 'ident' ? node.name : ''))
  const isNew = (name: string) =>
    name !== '' && !scope.variables.has(name) && !Object.hasOwn(checker.names, name)
  const words = new Set(last && checker.text(last).split(/\W+/))
  const isMacro = target && last && names.every(isNew) && names.some((name) => words.has(name))
  if (!isMacro) for (const each of args) checker.infer(each, scope)
  else
    checker.infer(
      last,
      names.reduce((at, name) => checker.hiding(at, name, dyn), scope),
    )
}

function reportUnknown(checker: Checker, node: CallNode): void {
  const other = findFunction(node.name, node.target === undefined)
  const names = allFunctions
    .filter((each) => each.receiver === (node.target !== undefined))
    .map((each) => each.name)
  // Short names are all similar to each other: `x.max()` is not `x.map(each, …)`.
  const isShort = node.name.length <= 3
  const takesName = node.target !== undefined && (!isShort || node.args.length >= 2)
  const near = nearest(node.name, [...names, ...(takesName ? macroNames : node.target ? [] : ['has'])])
  const hint = other
    ? other.receiver
      ? `write value.${node.name}(…)`
      : `write ${node.name}(value)`
    : (habits.get(node.name) ?? (near === undefined ? undefined : `did you mean ${near}?`))
  checker.problem('unknown_function', `there is no function '${node.name}'`, node.nameSpan, hint)
}

function reportCount(checker: Checker, node: CallNode, found: ExpressionFunction): void {
  if (checker.isBroken(node)) return
  const hidden = found.receiver ? 1 : 0
  const counts = [...new Set(found.overloads.map((overload) => overload.parameters.length - hidden))]
  const wanted = counts.join(' or ')
  const noun = wanted === '1' ? 'argument' : 'arguments'
  checker.problem(
    'wrong_arguments',
    `${node.name}() takes ${wanted} ${noun}, found ${node.args.length}`,
    node,
  )
}

/** Names the first argument that no overload accepts. */
function reportArgument(
  checker: Checker,
  node: CallNode,
  nodes: readonly AstNode[],
  types: readonly Type[],
  overloads: readonly Overload[],
): void {
  const at = types.findIndex(
    (type, index) => !overloads.some(({ parameters }) => accepts(parameters[index]!, type)),
  )
  const place = Math.max(at, 0)
  const wanted = [...new Set(overloads.map(({ parameters }) => spoken(parameters[place]!)))].join(' or ')
  const type = types[place]!
  checker.problem(
    'wrong_type',
    `${node.name}() expects ${wanted}, found ${describeType(withoutValues(type))}`,
    nodes[place]!,
    argumentHint(node.name, overloads[0]!.parameters[place]!, type),
  )
}

const spoken = (parameter: ParameterType): string =>
  ({ strings: 'a list of strings', any: 'a value', value: 'a value', int: 'a whole number' })[
    parameter as string
  ] ?? parameter

function argumentHint(name: string, wanted: ParameterType, type: Type): string | undefined {
  if (name === 'format' && type.kind === 'timestamp')
    return 'string(…) gives 2026-03-01T08:00:00Z; its parts are getFullYear(), getMonth(), getDate(), getHours(), …'
  if (type.kind === 'optional') return 'get the value with orValue(…)'
  if (wanted === 'timestamp') return conversionHint(type, timestamp)
  if (wanted === 'duration') return conversionHint(type, duration)
  if (wanted === 'string') {
    if (type.kind === 'object' || type.kind === 'map' || type.kind === 'list') return 'convert with json(…)'
    return 'convert with string(…)'
  }
  return undefined
}

/** Checks literal arguments immediately. */
function checkLiterals(checker: Checker, nodes: readonly AstNode[], found: ExpressionFunction): void {
  for (const [at, node] of nodes.entries()) {
    if (node.kind !== 'literal' || typeof node.value !== 'string') continue
    try {
      found.tries?.[at]?.(node.value, node, nodes)
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault
      checker.problem('invalid_literal', fault.message, node, fault.hint)
    }
  }
}
