import type { HasNode, IdentNode, IndexNode, Node, SelectNode } from '../parse/ast.ts'
import { selectField, type Access } from './check-fields.ts'
import type { Checker, Scope } from './checker.ts'
import { hintForKey } from '../parse/lexer.ts'
import { pathOf } from './narrowing.ts'
import { nearest } from '../../common/nearest.ts'
import {
  admitsNull,
  bool,
  describeType,
  dyn,
  elementOfUnknown,
  isNumeric,
  isSensitive,
  membersOf,
  optionalOf,
  sensitive,
  taken,
  textOfTime,
  typeType,
  union,
  withoutNull,
  type Type,
} from '../types/types.ts'
import { typeValues } from '../values/values.ts'

/** A chain of names, fields and indexes, as a whole. */
export function checkReference(
  checker: Checker,
  node: IdentNode | SelectNode | IndexNode,
  scope: Scope,
): Type {
  const found = accessed(checker, node, scope)
  record(checker, node, scope, false)
  const time = timeOf(found.kind === 'optional' ? found.value : found)
  // What has been told apart may come from outside of the playbook in part.
  const isKnown = time !== undefined && !isToldApart(checker, node)
  if (isKnown) checker.conversions.set(node, time)
  const type = time === undefined || isKnown ? found : inText(found)
  checker.types.set(node, type)
  if (isSensitive(type)) checker.sensitive = true
  return type
}

function isToldApart(checker: Checker, node: Node): boolean {
  let at = node
  while (!checker.widened.has(at)) {
    if (at.kind !== 'select' && at.kind !== 'index') return false
    at = at.operand
  }
  return true
}

function inText(type: Type): Type {
  if (type.kind === 'optional') return { ...type, value: inText(type.value) }
  return type.kind === 'union' ? union(type.members.map(textOfTime)) : textOfTime(type)
}

/** Which time each value of the type is, except for null: what may be other text is text. */
function timeOf(type: Type): 'timestamp' | 'duration' | undefined {
  const { kind } = withoutNull(type)
  return kind === 'timestamp' || kind === 'duration' ? kind : undefined
}

function record(checker: Checker, node: Node, scope: Scope, guarded: boolean): void {
  const path: string[] = []
  let at = node
  let isGuarded = guarded
  while (at.kind === 'select' || at.kind === 'index') {
    isGuarded ||= at.optional
    const field = at.kind === 'select' ? at.field : at.index.kind === 'literal' ? at.index.value : undefined
    // What lies behind a computed key, or behind a place in a list, has no static path.
    if (typeof field === 'string') path.unshift(field)
    else path.length = 0
    at = at.operand
  }
  if (at.kind !== 'ident' || scope.variables.has(at.name)) return
  if (!Object.hasOwn(checker.names, at.name)) return
  checker.references.push({ root: at.name, path, guarded: isGuarded, start: node.start, end: node.end })
}

/** The type of a chain without recording it: only its end is a reference. */
function accessed(checker: Checker, node: Node, scope: Scope): Type {
  if (node.kind === 'ident') return ident(checker, node, scope)
  if (node.kind === 'select') {
    const container = accessed(checker, node.operand, scope)
    const type = field(checker, node, container, scope, node.optional ? 'optional' : 'plain')
    return known(checker, node, type, scope)
  }
  if (node.kind === 'index') return known(checker, node, indexed(checker, node, scope), scope)
  return checker.infer(node, scope)
}

/** The type, without what conditions have ruled out. */
function known(checker: Checker, node: Node, type: Type, scope: Scope): Type {
  const path = type.kind === 'union' ? pathOf(node) : undefined
  if (!path) return type
  const there = admitsNull(type) && scope.knowledge.isNotNull(path) ? withoutNull(type) : type
  const narrowed = scope.knowledge.narrow(path, there)
  if (narrowed !== there) checker.widened.set(node, there)
  return narrowed
}

function ident(checker: Checker, node: IdentNode, scope: Scope): Type {
  const { name, start, end } = node
  const variable = scope.variables.get(name)
  if (variable) return known(checker, node, variable, scope)
  if (Object.hasOwn(checker.names, name)) return known(checker, node, checker.names[name]!, scope)
  if (typeValues.has(name)) return typeType
  const key = checker.hyphenated({ start, end })
  if (key !== undefined) {
    const message = `there is no '${name}' here: ${key} is read as a subtraction`
    checker.problem('unknown_name', message, { start, end }, hintForKey(key))
    return dyn
  }
  const near = nearest(name, [...scope.variables.keys(), ...Object.keys(checker.names)])
  const hint =
    near === undefined
      ? (literals.get(name.toLowerCase()) ?? `text is written in quotes: '${name}'`)
      : `did you mean ${near}?`
  checker.problem('unknown_name', `there is no '${name}' here`, { start, end }, hint)
  return dyn
}

/** What other languages call them. */
const literals: ReadonlyMap<string, string> = new Map([
  ...['null', 'none', 'nil', 'undefined'].map((name) => [name, 'write null'] as const),
  ['true', 'write true'],
  ['false', 'write false'],
])

/** The type of a field of a container, with the problems of reading it. */
function field(checker: Checker, node: SelectNode, container: Type, scope: Scope, access: Access): Type {
  const read = { node, operand: node.operand, field: node.field, span: node.fieldSpan }
  return selectField(checker, read, container, scope, access)
}

function indexed(checker: Checker, node: IndexNode, scope: Scope): Type {
  const container = accessed(checker, node.operand, scope)
  const { index } = node
  const key = checker.infer(index, scope)
  if (index.kind === 'literal' && typeof index.value === 'string') {
    const target = { node, operand: node.operand, field: index.value, span: index }
    return selectField(checker, target, container, scope, node.optional ? 'optional' : 'plain')
  }
  if (container.kind === 'optional') {
    return optionalOf(element(checker, node, taken(container.value, [container]), key))
  }
  const found = element(checker, node, container, key)
  return node.optional ? optionalOf(found) : found
}

function element(checker: Checker, node: IndexNode, container: Type, key: Type): Type {
  if (checker.mayBeNull(node.operand, container)) return dyn
  if (isNumeric(key) && membersOf(container).every(hasTextKeys)) {
    const message = `${checker.text(node.operand)} has text as keys: [${describeType(key)}] is never there`
    checker.problem('wrong_type', message, node.index, asTextHint(checker, node.index))
    return dyn
  }
  const found: Type[] = []
  const add = (member: Type, type: Type) => found.push(member.sensitive === true ? sensitive(type) : type)
  for (const member of membersOf(container)) {
    if (member.kind === 'dyn') return elementOfUnknown(member)
    if (member.kind === 'list') {
      if (isNumeric(key) || key.kind === 'dyn') add(member, member.element)
      else checker.problem('wrong_type', `a list has no index of type ${describeType(key)}`, node.index)
    } else if (member.kind === 'map') add(member, member.value)
    // Any of the fields may be meant.
    else if (member.kind === 'object') found.push(isSensitive(member) ? sensitive(dyn) : dyn)
  }
  if (found.length === 0 && !membersOf(container).some((member) => member.kind === 'list')) {
    checker.problem('wrong_type', `${describeType(container)} has no [${describeType(key)}]`, node)
  }
  const isIndexed = ({ kind }: Type) => ['list', 'map', 'object', 'dyn'].includes(kind)
  checker.doubt(node.operand, container, isIndexed, () => `it has no [${describeType(key)}]`)
  return found.length === 0 ? dyn : union(found)
}

/** Whether a value has keys, all of which are text: every map of JSON. */
export const hasTextKeys = (type: Type): boolean =>
  type.kind === 'object' || (type.kind === 'map' && type.key.kind === 'string')

/** How to write a number as the key that it becomes in JSON. */
export const asTextHint = (checker: Checker, key: Node): string =>
  key.kind === 'literal' ? `write "${checker.text(key)}"` : `convert with string(${checker.text(key)})`

/** `has(…)` needs everything before the last field to be there. */
export function checkHas(checker: Checker, { field: node }: HasNode, scope: Scope): Type {
  const container = accessed(checker, node.operand, scope)
  field(checker, node, container, scope, 'has')
  record(checker, node, scope, true)
  return bool
}
