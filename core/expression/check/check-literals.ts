import type { ListNode, MapNode, Node } from '../parse/ast.ts'
import type { Checker, Scope } from './checker.ts'
import { describeType, dyn, list, map, union, type Property, type Type } from '../types/types.ts'

/** The type of `[…]`. */
export function checkList(checker: Checker, node: ListNode, scope: Scope): Type {
  if (node.elements.length === 0) return list(dyn)
  return list(
    union(
      node.elements.map(({ value, optional }) => {
        const type = checker.infer(value, scope)
        return optional ? unwrapped(checker, value, type) : type
      }),
    ),
  )
}

function unwrapped(checker: Checker, node: Node, type: Type): Type {
  if (type.kind === 'optional') return type.value
  if (type.kind !== 'dyn') {
    checker.problem('wrong_type', `? needs an optional, found ${describeType(type)}`, node, 'leave out the ?')
  }
  return dyn
}

/** The type of `{…}`: an object when all its keys are literal text. */
export function checkMap(checker: Checker, node: MapNode, scope: Scope): Type {
  const properties = new Map<string, Property>()
  const keys: Type[] = []
  const values: Type[] = []
  for (const { key, value, optional } of node.entries) {
    const keyType = checker.infer(key, scope)
    const given = checker.infer(value, scope)
    const type = optional ? unwrapped(checker, value, given) : given
    keys.push(keyType)
    values.push(type)
    if (!['string', 'int', 'bool', 'dyn', 'number', 'union'].includes(keyType.kind)) {
      checker.problem('wrong_type', `${describeType(keyType)} cannot be the key of a map`, key)
    }
    if (key.kind !== 'literal' || typeof key.value !== 'string') continue
    if (properties.has(key.value))
      checker.problem('wrong_arguments', `the key '${key.value}' occurs twice`, key)
    properties.set(key.value, { type, optional })
  }
  const isObject = properties.size === node.entries.length
  return isObject ? { kind: 'object', properties, additional: undefined } : map(union(values), union(keys))
}
