import type { CallNode, AstNode } from '../../parse/ast.ts'
import { conversionHint, fromMilliseconds, withoutValues } from '../operator-hints.ts'
import type { Checker, TypeScope } from '../checker.ts'
import { Fault } from '../../values/errors.ts'
import type { ExpressionFunction, Overload, ParameterType } from '../../functions/function.ts'
import { findFunction } from '../../functions/standard-library.ts'
import { macros } from '../../parse/words.ts'
import { accepts, acceptsOne, doubtElements, elementsOf, spoken } from './parameters.ts'
import { inferUnknown, reportNamespace, reportUnknown } from './unknown-function.ts'
import { derived, describeType, duration, dyn, taken, timestamp, type Type } from '../../types/types.ts'

/** The type of a call, reporting unknown functions and arguments that do not fit. */
export function checkCall(checker: Checker, node: CallNode, scope: TypeScope): Type {
  const nodes = node.target ? [node.target, ...node.args] : node.args
  if (reportNamespace(checker, node, scope)) return dyn
  if (macros.has(node.name) && node.target) {
    checker.infer(node.target, scope)
    if (checker.isBroken(node)) return dyn
    const isTwo = macros.get(node.name)!.counts[0]! > 2
    const message = `${node.name}() takes ${isTwo ? 'two names' : 'a name'} and an expression`
    const example = `write it like list.${node.name}(${isTwo ? 'i, x' : 'x'}, …)`
    checker.problem('wrong_arguments', message, node.nameSpan, example)
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

function resultOf(name: string, { result, ofParts }: Overload, types: readonly Type[]): Type {
  const type = typeof result === 'function' ? result(types) : result
  if (ofParts === true) return taken(type, types)
  return measuring.has(name) ? type : derived(type, types)
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
    const elements = elementsOf(fitting.map(({ parameters }) => parameters[at]!))
    if (elements) doubtElements(checker, name, node, types[at]!, elements)
  }
}

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
  const receivers = overloads.filter(({ parameters }) => accepts(parameters[0]!, types[0]!))
  const possible = receivers.length > 0 ? receivers : overloads
  const at = types.findIndex(
    (type, index) => !possible.some(({ parameters }) => accepts(parameters[index]!, type)),
  )
  const place = Math.max(at, 0)
  const wanted = [...new Set(possible.map(({ parameters }) => spoken(parameters[place]!)))].join(' or ')
  const type = types[place]!
  checker.problem(
    'wrong_type',
    `${node.name}() expects ${wanted}, found ${describeType(withoutValues(type))}`,
    nodes[place]!,
    argumentHint(possible[0]!.parameters[place]!, type),
  )
}

function argumentHint(wanted: ParameterType, type: Type): string | undefined {
  if (type.kind === 'optional') return 'get the value with orValue(…)'
  if (wanted === 'list' && type.kind === 'string') return 'put it into a list: [x]'
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
