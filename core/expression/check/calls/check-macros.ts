import type { BindNode, MacroNode } from '../../parse/ast.ts'
import type { Checker, TypeScope } from '../checker.ts'
import { factsOf, refine } from '../narrowing.ts'
import {
  bool,
  describeType,
  dyn,
  elementOfUnknown,
  int,
  list,
  map,
  membersOf,
  optionalOf,
  sensitive,
  string,
  taken,
  textOfTime,
  union,
  type Type,
} from '../../types/types.ts'

/** The type of a macro: its body is checked with its variable in place. */
export function checkMacro(checker: Checker, node: MacroNode, scope: TypeScope): Type {
  const operand = checker.infer(node.operand, scope)
  if (node.name === 'optMap' || node.name === 'optFlatMap')
    return optionalMacro(checker, node, operand, scope)
  const [element, value] = items(checker, node, operand)
  let inner = checker.hiding(scope, node.variable, element)
  if (node.second !== undefined) inner = checker.hiding(inner, node.second, value)
  if (node.filter) {
    checker.condition(node.filter, inner)
    inner = checker.knowing(inner, factsOf(node.filter).whenTrue)
  }
  switch (node.name) {
    case 'map':
    case 'transformList':
      return list(checker.infer(node.body, inner))
    case 'transformMap':
      return map(checker.infer(node.body, inner), element)
    case 'transformMapEntry':
      return entriesOf(checker, node, checker.infer(node.body, inner))
    case 'sortBy':
    case 'groupBy':
    case 'indexBy':
      return byKey(checker, node, checker.infer(node.body, inner), element, operand)
    default:
      checker.condition(node.body, inner)
      return node.name === 'filter' ? list(refine(element, node.variable, factsOf(node.body).whenTrue)) : bool
  }
}

const onLists: ReadonlySet<string> = new Set(['sortBy', 'groupBy', 'indexBy'])

/**
 * The types of the variables of a macro. One variable has the elements of a list or the keys of a map; two
 * have the indexes and elements, or the keys and values.
 */
function items(checker: Checker, node: MacroNode, operand: Type): readonly [first: Type, second: Type] {
  if (checker.mayBeNull(node.operand, operand)) return [dyn, dyn]
  const isListMacro = onLists.has(node.name)
  const kinds = isListMacro ? ['list', 'dyn'] : ['list', 'map', 'object', 'dyn']
  const found = membersOf(operand).flatMap((member) => {
    const types = kinds.includes(member.kind) ? itemsOf(member, node.second !== undefined) : []
    return types.length === 0 ? [] : [member.sensitive === true ? types.map(sensitive) : types]
  })
  const where = isListMacro ? 'a list' : 'a list or a map'
  if (found.length > 0) {
    const holds = ({ kind }: Type) => kinds.includes(kind)
    checker.doubt(node.operand, operand, holds, () => `${node.name}() works on ${where}`)
    return [union(found.map(([first]) => first!)), union(found.map(([, second]) => second!))]
  }
  const hint = operand.kind === 'optional' ? 'give a default first: orValue([])' : undefined
  const message = `${node.name}() works on ${where}, found ${describeType(operand)}`
  checker.problem('wrong_type', message, node.operand, hint)
  return [dyn, dyn]
}

function itemsOf(type: Type, hasTwo: boolean): readonly Type[] {
  switch (type.kind) {
    case 'list':
      return hasTwo ? [int, type.element] : [type.element, dyn]
    case 'map':
      return [type.key, type.value]
    case 'object': {
      const values = Array.from(type.properties.values(), (property) => property.type)
      return [string, union(type.additional ? [...values, type.additional] : values)]
    }
    default: {
      const element = elementOfUnknown(type)
      return [element, element]
    }
  }
}

/** The type of `transformMapEntry`, whose body is a map. */
function entriesOf(checker: Checker, node: MacroNode, body: Type): Type {
  if (checker.mayBeNull(node.body, body)) return dyn
  const keys: Type[] = []
  const values: Type[] = []
  for (const member of membersOf(body)) {
    if (member.kind === 'dyn') return taken(map(elementOfUnknown(member), dyn), [member])
    if (member.kind !== 'map' && member.kind !== 'object') {
      const message = `transformMapEntry() needs a map such as {key: value}, found ${describeType(body)}`
      checker.problem('wrong_type', message, node.body)
      return dyn
    }
    const [key, value] = itemsOf(member, true)
    keys.push(key!)
    values.push(value!)
  }
  return taken(map(union(values), union(keys)), [body])
}

const keyKinds: readonly Type['kind'][] = ['string', 'int', 'number', 'double', 'bool', 'dyn']
const orderedKinds: readonly Type['kind'][] = [...keyKinds, 'timestamp', 'duration']

/** The type of `sortBy`, `groupBy` and `indexBy`, whose body gives a key for each element. */
function byKey(checker: Checker, node: MacroNode, key: Type, element: Type, operand: Type): Type {
  const kinds = node.name === 'sortBy' ? orderedKinds : keyKinds
  const fits = ({ kind }: Type): boolean => kinds.includes(kind)
  if (checker.mayBeNull(node.body, key)) return dyn
  const what = node.name === 'sortBy' ? 'the order of a list' : 'the key of a map'
  if (membersOf(key).some(fits)) checker.doubt(node.body, key, fits, (stray) => `${stray} cannot be ${what}`)
  else {
    const hint = key.kind === 'optional' ? 'get the value with orValue(…)' : 'convert it with string(…)'
    checker.problem('wrong_type', `${describeType(key)} cannot be ${what}`, node.body, hint)
    return dyn
  }
  const all = taken(list(element), [operand])
  if (node.name === 'sortBy') return all
  return map(node.name === 'groupBy' ? all : element, textOfTime(key))
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
