import type { HasNode, IdentNode, IndexNode, AstNode, SelectNode } from '../parse/ast.ts'
import { selectField, type FieldAccess } from './check-fields.ts'
import type { Checker, TypeScope } from './checker.ts'
import { hintForKey } from '../parse/lexer.ts'
import { accessPath } from './narrowing.ts'
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

/** A whole chain of names, fields and indexes. */
export function checkReference(
  checker: Checker,
  node: IdentNode | SelectNode | IndexNode,
  scope: TypeScope,
): Type {
  const found = accessed(checker, node, scope)
  record(checker, node, scope, false)
  const time = timeOf(found.kind === 'optional' ? found.value : found)
  // A narrowed type may come from a schema outside the playbook.
  const isKnown = time !== undefined && !isToldApart(checker, node)
  if (isKnown) checker.conversions.set(node, time)
  const type = time === undefined || isKnown ? found : inText(found)
  checker.types.set(node, type)
  if (isSensitive(type)) checker.sensitive = true
  return type
}

function isToldApart(checker: Checker, node: AstNode): boolean {
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

/** The kind of time of all values of the type except null; a type that may be other text has none. */
function timeOf(type: Type): 'timestamp' | 'duration' | undefined {
  const { kind } = withoutNull(type)
  return kind === 'timestamp' || kind === 'duration' ? kind : undefined
}

function record(checker: Checker, node: AstNode, scope: TypeScope, guarded: boolean): void {
  const path: string[] = []
  let at = node
  let isGuarded = guarded
  while (at.kind === 'select' || at.kind === 'index') {
    isGuarded ||= at.optional
    const field = at.kind === 'select' ? at.field : at.index.kind === 'literal' ? at.index.value : undefined
    // After a computed key or a list index there is no static path.
    if (typeof field === 'string') path.unshift(field)
    else path.length = 0
    at = at.operand
  }
  if (at.kind !== 'ident' || scope.variables.has(at.name)) return
  if (!Object.hasOwn(checker.names, at.name)) return
  checker.references.push({ root: at.name, path, guarded: isGuarded, start: node.start, end: node.end })
}

/** The type of a chain, without recording it: only the whole chain is a reference. */
function accessed(checker: Checker, node: AstNode, scope: TypeScope): Type {
  if (node.kind === 'ident') return ident(checker, node, scope)
  if (node.kind === 'select') {
    const container = accessed(checker, node.operand, scope)
    const type = field(checker, node, container, scope, node.optional ? 'optional' : 'plain')
    return known(checker, node, type, scope)
  }
  if (node.kind === 'index') return known(checker, node, indexed(checker, node, scope), scope)
  return checker.infer(node, scope)
}

/** The type, narrowed by the conditions around it. */
function known(checker: Checker, node: AstNode, type: Type, scope: TypeScope): Type {
  const path = type.kind === 'union' ? accessPath(node) : undefined
  if (!path) return type
  const there = admitsNull(type) && scope.knowledge.isNotNull(path) ? withoutNull(type) : type
  const narrowed = scope.knowledge.narrow(path, there)
  if (narrowed !== there) checker.widened.set(node, there)
  return narrowed
}

function ident(checker: Checker, node: IdentNode, scope: TypeScope): Type {
  const { name, start, end } = node
  const variable = scope.variables.get(name)
  if (variable) return known(checker, node, variable, scope)
  if (Object.hasOwn(checker.names, name)) return known(checker, node, checker.names[name]!, scope)
  if (typeValues.has(name)) return typeType
  const key = checker.hyphenated({ start, end })
  if (key !== undefined) {
    const message = `unknown name '${name}': ${key} is read as a subtraction`
    checker.problem('unknown_name', message, { start, end }, hintForKey(key))
    return dyn
  }
  const near = nearest(name, [...scope.variables.keys(), ...Object.keys(checker.names)])
  const hint =
    near === undefined
      ? (literals.get(name.toLowerCase()) ?? `put text into quotes: '${name}'`)
      : `did you mean ${near}?`
  checker.problem('unknown_name', `unknown name '${name}'`, { start, end }, hint)
  return dyn
}

/** Their names in other languages. */
const literals: ReadonlyMap<string, string> = new Map([
  ...['null', 'none', 'nil', 'undefined'].map((name) => [name, 'write null'] as const),
  ['true', 'write true'],
  ['false', 'write false'],
])

/** The type of a field; reports problems of reading it. */
function field(
  checker: Checker,
  node: SelectNode,
  container: Type,
  scope: TypeScope,
  access: FieldAccess,
): Type {
  const read = { node, operand: node.operand, field: node.field, span: node.fieldSpan }
  return selectField(checker, read, container, scope, access)
}

function indexed(checker: Checker, node: IndexNode, scope: TypeScope): Type {
  const container = accessed(checker, node.operand, scope)
  const { index } = node
  const key = checker.infer(index, scope)
  if (index.kind === 'literal' && typeof index.value === 'string') {
    const target = { node, operand: node.operand, field: index.value, span: index }
    return selectField(checker, target, container, scope, node.optional ? 'optional' : 'plain')
  }
  if (container.kind === 'optional') {
    const value = node.optional ? withoutNull(container.value) : container.value
    return optionalOf(value.kind === 'null' ? dyn : element(checker, node, taken(value, [container]), key))
  }
  const found = element(checker, node, container, key)
  return node.optional ? optionalOf(found) : found
}

function element(checker: Checker, node: IndexNode, container: Type, key: Type): Type {
  if (checker.mayBeNull(node.operand, container)) return dyn
  if (isNumeric(key) && membersOf(container).every(hasTextKeys)) {
    const message = `the keys of ${checker.text(node.operand)} are strings: [${describeType(key)}] never matches`
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
    // It may be any of the fields.
    else if (member.kind === 'object') found.push(isSensitive(member) ? sensitive(dyn) : dyn)
  }
  if (found.length === 0 && !membersOf(container).some((member) => member.kind === 'list')) {
    const hint =
      container.kind === 'string'
        ? `write ${checker.text(node.operand)}.charAt(${checker.text(node.index)})`
        : undefined
    checker.problem('wrong_type', `${describeType(container)} has no [${describeType(key)}]`, node, hint)
  }
  const isIndexed = ({ kind }: Type) => ['list', 'map', 'object', 'dyn'].includes(kind)
  checker.doubt(node.operand, container, isIndexed, () => `it has no [${describeType(key)}]`)
  return found.length === 0 ? dyn : union(found)
}

/** Whether a value has only string keys, like every JSON object. */
export const hasTextKeys = (type: Type): boolean =>
  type.kind === 'object' || (type.kind === 'map' && type.key.kind === 'string')

/** How to write a number as a JSON key. */
export const asTextHint = (checker: Checker, key: AstNode): string =>
  key.kind === 'literal' ? `write "${checker.text(key)}"` : `convert with string(${checker.text(key)})`

/** `has(…)` requires everything before the last field to exist. */
export function checkHas(checker: Checker, { field: node }: HasNode, scope: TypeScope): Type {
  const container = accessed(checker, node.operand, scope)
  field(checker, node, container, scope, 'has')
  record(checker, node, scope, true)
  return bool
}
