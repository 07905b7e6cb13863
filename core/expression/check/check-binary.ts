import type { BinaryNode, AstNode } from '../parse/ast.ts'
import type { Checker, TypeScope } from './checker.ts'
import { asTextHint, hasTextKeys } from './check-access.ts'
import { doubtUnlisted } from './check-fields.ts'
import { accessPath } from './narrowing.ts'
import { nearest } from '../../common/nearest.ts'
import { conversionHint, elementHint, operandHint, withoutValues } from './operator-hints.ts'
import { arithmetic, comparable, isTimeText, order } from './operator-types.ts'
import {
  admitsNull,
  bool,
  derived,
  describeType,
  dyn,
  isNumeric,
  membersOf,
  string,
  taken,
  timeKind,
  union,
  type Type,
} from '../types/types.ts'

/** The type of `left operator right`. */
export function checkBinary(checker: Checker, node: BinaryNode, scope: TypeScope): Type {
  const left = checker.infer(node.left, scope)
  const right = checker.infer(node.right, scope)
  if (node.operator === '==' || node.operator === '!=') {
    meantAsText(checker, node.left, right)
    meantAsText(checker, node.right, left)
  }
  checker.doubtText(node.left)
  checker.doubtText(node.right)
  if (node.operator === '==' || node.operator === '!=')
    return checkEquality(checker, node, left, right, scope)
  return node.operator === 'in'
    ? checkIn(checker, node, left, right)
    : checkArithmetic(checker, node, left, right)
}

function meantAsText(checker: Checker, operand: AstNode, other: Type): void {
  const texts = membersOf(other).filter((member) => member.kind === 'string')
  const choices = texts.flatMap(({ values = [] }) => values)
  if (operand.kind === 'ident' && texts.length > 0) checker.meantAsText(operand, choices)
}

/** Two strings are never treated as times: `+` joins them, and durations compare as strings. */
function warnOfTexts(checker: Checker, node: BinaryNode, left: Type, right: Type): void {
  if (!isTimeText(left) || !isTimeText(right)) return
  const isJoined = node.operator === '+'
  if (
    !isJoined &&
    (node.operator === '-' || timeKind(left) === 'timestamp' || timeKind(right) === 'timestamp')
  )
    return
  const message = isJoined ? 'two times are joined as strings here' : 'durations are compared as strings here'
  const hint = `convert one of them: ${timeKind(left)}(${checker.text(node.left)})`
  checker.doubts.push({ code: 'times_as_text', message, hint, start: node.start, end: node.end })
}

function checkEquality(checker: Checker, node: BinaryNode, left: Type, right: Type, scope: TypeScope): Type {
  if (left.kind === 'dyn' || right.kind === 'dyn') return bool
  if (left.kind === 'null' || right.kind === 'null') {
    const [value, type] = left.kind === 'null' ? [node.right, right] : [node.left, left]
    const path = accessPath(value)
    // A redundant check is not a mistake.
    if (admitsNull(type) || (path && scope.knowledge.isNotNull(path))) return bool
    const hint = 'leave out the comparison; check an optional field with has(…)'
    checker.problem('wrong_type', `${checker.text(value)} is never null`, node, hint)
    return bool
  }
  if (reportStray(checker, node.left, left, right) || reportStray(checker, node.right, right, left))
    return bool
  warnOfTexts(checker, node, left, right)
  const meets = membersOf(left).some((a) => membersOf(right).some((b) => comparable(a, b)))
  if (meets) return bool
  checker.problem(
    'wrong_type',
    `${describeType(withoutValues(left))} is never equal to ${describeType(withoutValues(right))}`,
    node,
    operandHint(checker, node, left, right),
  )
  return bool
}

/** Reports a literal that is not in the enumeration on the other side. */
function reportStray(checker: Checker, literal: AstNode, type: Type, other: Type): boolean {
  doubtNumber(checker, literal, other)
  if (literal.kind !== 'literal' || typeof literal.value !== 'string' || type.kind !== 'string') return false
  const { value } = literal
  const members = membersOf(other).filter((member) => member.kind !== 'null')
  const allowed: string[] = []
  for (const member of members) {
    if (member.kind !== 'string' || !member.values || member.literal === true) return false
    allowed.push(...member.values)
  }
  if (allowed.length === 0 || allowed.includes(value)) return false
  const near = nearest(value, allowed)
  const message = `'${value}' is not one of ${allowed.join(', ')}`
  checker.problem('not_in_enum', message, literal, near === undefined ? undefined : `did you mean '${near}'?`)
  return true
}

/** Warns if a value is compared with a number that it can never equal. */
function doubtNumber(checker: Checker, literal: AstNode, other: Type): void {
  if (literal.kind !== 'literal' || !/^(?:bigint|number)$/.test(typeof literal.value)) return
  const value = Number(literal.value)
  const members = membersOf(other).filter((member) => member.kind !== 'null')
  const allowed = members.flatMap((member) =>
    member.kind === 'number' && member.values ? member.values : [NaN],
  )
  if (allowed.length === 0 || allowed.some((each) => Number.isNaN(each) || each === value)) return
  const message = `${value} is not one of ${allowed.join(', ')}`
  checker.doubts.push({ code: 'number_not_in_enum', message, start: literal.start, end: literal.end })
}

function checkIn(checker: Checker, node: BinaryNode, left: Type, right: Type): Type {
  if (right.kind === 'dyn' || checker.mayBeNull(node.right, right)) return bool
  const holds = ({ kind }: Type): boolean => ['list', 'map', 'object', 'dyn'].includes(kind)
  if (membersOf(right).some(holds))
    checker.doubt(node.right, right, holds, () => 'in works on a list or a map')
  else {
    const hint = right.kind === 'string' ? 'write text.contains(part) for a part of a string' : undefined
    checker.problem(
      'wrong_type',
      `in works on a list or a map, found ${describeType(withoutValues(right))}`,
      node.right,
      hint,
    )
    return bool
  }
  if (right.kind !== 'list') {
    checkKey(checker, node, left, right)
    return bool
  }
  // Checks each element of a literal list, so that every misspelling is reported at its place.
  if (node.right.kind === 'list') {
    for (const { value } of node.right.elements) {
      reportStray(checker, value, value.kind === 'literal' ? string : dyn, left)
    }
  }
  if (reportStray(checker, node.left, left, right.element)) return bool
  const meets = membersOf(left).some((a) => membersOf(right.element).some((b) => comparable(a, b)))
  if (!meets) {
    const [one, many] = [describeType(withoutValues(left)), describeType(withoutValues(right.element))]
    checker.problem(
      'wrong_type',
      `${one} is never in a list of ${many}`,
      node,
      elementHint(checker, node, left, right.element) ?? conversionHint(left, right.element),
    )
  }
  return bool
}

/** `"name" in map`, and `1 in map` where the keys are strings. */
function checkKey(checker: Checker, { left: key, right: holder }: BinaryNode, left: Type, right: Type): void {
  const members = membersOf(right)
  if (key.kind === 'literal' && typeof key.value === 'string')
    doubtUnlisted(checker, { field: key.value, span: key, operand: holder }, members)
  // As in CEL's checker, looking into `{}` is not a type error.
  if (!isNumeric(left) || !members.every(hasTextKeys) || !members.some(hasKeys)) return
  const message = `the keys of ${checker.text(holder)} are strings: ${describeType(left)} never matches`
  checker.problem('wrong_type', message, key, asTextHint(checker, key))
}

const hasKeys = (type: Type): boolean =>
  type.kind !== 'object' || type.properties.size > 0 || type.additional !== undefined

function checkArithmetic(checker: Checker, node: BinaryNode, left: Type, right: Type): Type {
  const nulls = [checker.mayBeNull(node.left, left), checker.mayBeNull(node.right, right)]
  const isOrder = ['<', '<=', '>', '>='].includes(node.operator)
  if (nulls.includes(true)) return isOrder ? bool : dyn
  warnOfTexts(checker, node, left, right)
  const result = (a: Type, b: Type) => (isOrder ? order(a, b) : arithmetic(node.operator, a, b))
  const found = membersOf(left).flatMap((a) => membersOf(right).map((b) => result(a, b)))
  const possible = found.filter((each) => each !== undefined)
  if (possible.length > 0) {
    doubtOperands(checker, node, left, right, result)
    const areLists = [left, right].every((type) => membersOf(type).every(({ kind }) => kind === 'list'))
    return (areLists ? taken : derived)(union(possible), [left, right])
  }
  if (checker.isBroken(node)) return isOrder ? bool : dyn
  checker.problem(
    'wrong_type',
    `${node.operator} does not work on ${describeType(withoutValues(left))} and ${describeType(withoutValues(right))}`,
    node,
    operandHint(checker, node, left, right),
  )
  return isOrder ? bool : dyn
}

function doubtOperands(
  checker: Checker,
  { operator, left: leftNode, right: rightNode }: BinaryNode,
  left: Type,
  right: Type,
  result: (a: Type, b: Type) => Type | undefined,
): void {
  const [before, behind] = [describeType(withoutValues(left)), describeType(withoutValues(right))]
  checker.doubt(
    leftNode,
    left,
    (a) => membersOf(right).some((b) => result(a, b)),
    (stray) => `${operator} does not work on ${stray} and ${behind}`,
  )
  checker.doubt(
    rightNode,
    right,
    (b) => membersOf(left).some((a) => result(a, b)),
    (stray) => `${operator} does not work on ${before} and ${stray}`,
  )
}
