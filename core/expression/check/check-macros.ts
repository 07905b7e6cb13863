import type { BindNode, MacroNode } from '../parse/ast.ts'
import type { Checker, TypeScope } from './checker.ts'
import { factsOf, refine } from './narrowing.ts'
import {
  bool,
  describeType,
  dyn,
  elementOfUnknown,
  list,
  membersOf,
  optionalOf,
  sensitive,
  string,
  taken,
  union,
  type Type,
} from '../types/types.ts'

/** The type of a macro: its body is checked with its variable in place. */
export function checkMacro(checker: Checker, node: MacroNode, scope: TypeScope): Type {
  const operand = checker.infer(node.operand, scope)
  if (node.name === 'optMap' || node.name === 'optFlatMap')
    return optionalMacro(checker, node, operand, scope)
  const element = items(checker, node, operand)
  let inner = checker.hiding(scope, node.variable, element)
  if (node.filter) {
    checker.condition(node.filter, inner)
    inner = checker.knowing(inner, factsOf(node.filter).whenTrue)
  }
  if (node.name === 'map') return list(checker.infer(node.body, inner))
  checker.condition(node.body, inner)
  return node.name === 'filter' ? list(refine(element, node.variable, factsOf(node.body).whenTrue)) : bool
}

/** The type of a macro's variable: the elements of a list or the keys of a map. */
function items(checker: Checker, node: MacroNode, operand: Type): Type {
  if (checker.mayBeNull(node.operand, operand)) return dyn
  const found: Type[] = []
  const add = (member: Type, type: Type) => found.push(member.sensitive === true ? sensitive(type) : type)
  for (const member of membersOf(operand)) {
    if (member.kind === 'list') add(member, member.element)
    else if (member.kind === 'map') add(member, member.key)
    else if (member.kind === 'object') add(member, string)
    else if (member.kind === 'dyn') found.push(elementOfUnknown(member))
  }
  if (found.length > 0) {
    const holds = ({ kind }: Type) => ['list', 'map', 'object', 'dyn'].includes(kind)
    checker.doubt(node.operand, operand, holds, () => `${node.name}() works on a list or a map`)
    return union(found)
  }
  const hint = operand.kind === 'optional' ? 'give a default first: orValue([])' : undefined
  const message = `${node.name}() works on a list or a map, found ${describeType(operand)}`
  checker.problem('wrong_type', message, node.operand, hint)
  return dyn
}

function optionalMacro(checker: Checker, node: MacroNode, operand: Type, scope: TypeScope): Type {
  if (operand.kind !== 'optional' && operand.kind !== 'dyn') {
    checker.problem(
      'wrong_type',
      `${node.name}() works on optionals, found ${describeType(operand)}`,
      node.operand,
    )
  }
  const inside = taken(operand.kind === 'optional' ? operand.value : dyn, [operand])
  const result = checker.infer(node.body, checker.hiding(scope, node.variable, inside))
  if (node.name === 'optMap') return optionalOf(result)
  return result.kind === 'optional' ? result : optionalOf(dyn)
}

/** The type of `cel.bind(variable, value, body)`. */
export function checkBind(checker: Checker, node: BindNode, scope: TypeScope): Type {
  const type = checker.infer(node.value, scope)
  return checker.infer(node.body, checker.hiding(scope, node.variable, type))
}
