import type { BinaryNode, Node } from './ast.ts'
import type { Checker, Scope } from './checker.ts'
import { pathOf } from './narrowing.ts'
import { nearest } from '../nearest.ts'
import { kindOfTime } from './text-times.ts'
import {
  admitsNull,
  assumed,
  bool,
  describeType,
  double,
  duration,
  dyn,
  int,
  isNumeric,
  isWhole,
  list,
  membersOf,
  string,
  timeKind,
  timestamp,
  union,
  withoutNull,
  type Type,
} from './types.ts'

/** The type of `left operator right`. */
export function checkBinary(checker: Checker, node: BinaryNode, scope: Scope): Type {
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

function meantAsText(checker: Checker, operand: Node, other: Type): void {
  const texts = membersOf(other).filter((member) => member.kind === 'string')
  const choices = texts.flatMap(({ values = [] }) => values)
  if (operand.kind === 'ident' && texts.length > 0) checker.meantAsText(operand, choices)
}

const timesByKind = { timestamp, duration }

/** Text that is a time only in the eyes of its schema. */
const isTimeText = (type: Type): boolean => {
  const plain = withoutNull(type)
  return plain.kind === 'string' && timeKind(plain) !== undefined
}

/** Two texts are never read as durations, nor are two texts added up: what would be meant is not what happens. */
function warnOfTexts(checker: Checker, node: BinaryNode, left: Type, right: Type): void {
  if (!isTimeText(left) || !isTimeText(right)) return
  const isJoined = node.operator === '+'
  if (
    !isJoined &&
    (node.operator === '-' || timeKind(left) === 'timestamp' || timeKind(right) === 'timestamp')
  )
    return
  const message = isJoined
    ? 'two texts are joined here, though they are times'
    : 'durations are compared as text here'
  const hint = `convert one of them: ${timeKind(left)}(${checker.text(node.left)})`
  checker.doubts.push({ code: 'times_as_text', message, hint, start: node.start, end: node.end })
}

function checkEquality(checker: Checker, node: BinaryNode, left: Type, right: Type, scope: Scope): Type {
  if (left.kind === 'dyn' || right.kind === 'dyn') return bool
  if (left.kind === 'null' || right.kind === 'null') {
    const [value, type] = left.kind === 'null' ? [node.right, right] : [node.left, left]
    const path = pathOf(value)
    // Asking once more than needed is no mistake.
    if (admitsNull(type) || (path && scope.knowledge.isNotNull(path))) return bool
    const hint = 'leave the comparison out; a field that may be missing is asked for with has(…)'
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
    `${describeType(widened(left))} is never equal to ${describeType(widened(right))}`,
    node,
    timeHint(checker, node, left, right) ?? conversionHint(left, right),
  )
  return bool
}

/** A literal that the enumeration on the other side does not have. */
function reportStray(checker: Checker, literal: Node, type: Type, other: Type): boolean {
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

/** The same of numbers; a doubt, since it was taken for long. */
function doubtNumber(checker: Checker, literal: Node, other: Type): void {
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

function comparable(left: Type, right: Type): boolean {
  if (left.kind === 'dyn' || right.kind === 'dyn') return true
  if (isNumeric(left) && isNumeric(right)) return true
  if (isMapLike(left) && isMapLike(right)) return true
  const [leftTime, rightTime] = [timeKind(left), timeKind(right)]
  if (leftTime !== undefined && rightTime !== undefined) return leftTime === rightTime
  return left.kind === right.kind
}

const isMapLike = (type: Type): boolean => type.kind === 'map' || type.kind === 'object'

function checkIn(checker: Checker, node: BinaryNode, left: Type, right: Type): Type {
  if (right.kind === 'dyn' || checker.mayBeNull(node.right, right)) return bool
  const holds = ({ kind }: Type): boolean => ['list', 'map', 'object', 'dyn'].includes(kind)
  if (membersOf(right).some(holds))
    checker.doubt(node.right, right, holds, () => 'in looks into a list or a map')
  else {
    const hint = right.kind === 'string' ? 'write text.contains(part) for a part of a text' : undefined
    checker.problem(
      'wrong_type',
      `in looks into a list or a map, found ${describeType(widened(right))}`,
      node.right,
      hint,
    )
    return bool
  }
  if (right.kind !== 'list') return bool
  // Each element of a literal list is compared, so that every misspelling is found where it stands.
  if (node.right.kind === 'list') {
    for (const { value } of node.right.elements) {
      reportStray(checker, value, value.kind === 'literal' ? string : dyn, left)
    }
  }
  if (reportStray(checker, node.left, left, right.element)) return bool
  const meets = membersOf(left).some((a) => membersOf(right.element).some((b) => comparable(a, b)))
  if (!meets) {
    const [one, many] = [describeType(widened(left)), describeType(widened(right.element))]
    checker.problem(
      'wrong_type',
      `${one} is never in a list of ${many}`,
      node,
      elementHint(checker, node, left, right.element) ?? conversionHint(left, right.element),
    )
  }
  return bool
}

function checkArithmetic(checker: Checker, node: BinaryNode, left: Type, right: Type): Type {
  const nulls = [checker.mayBeNull(node.left, left), checker.mayBeNull(node.right, right)]
  const isOrder = ['<', '<=', '>', '>='].includes(node.operator)
  if (nulls.includes(true)) return isOrder ? bool : dyn
  warnOfTexts(checker, node, left, right)
  const result = (a: Type, b: Type) => (isOrder ? order(a, b) : withTimes(node.operator, a, b))
  const found = membersOf(left).flatMap((a) => membersOf(right).map((b) => result(a, b)))
  const possible = found.filter((each) => each !== undefined)
  if (possible.length > 0) {
    doubtOperands(checker, node, left, right, result)
    return union(possible)
  }
  if (checker.isBroken(node)) return isOrder ? bool : dyn
  checker.problem(
    'wrong_type',
    `${node.operator} does not work on ${describeType(widened(left))} and ${describeType(widened(right))}`,
    node,
    writtenDuration(left, right) || writtenDuration(right, left)
      ? 'convert with duration(…)'
      : node.operator === '+' && [left.kind, right.kind].includes('string')
        ? plusHint(left, right)
        : (timeHint(checker, node, left, right) ?? conversionHint(left, right)),
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
  const [before, behind] = [describeType(widened(left)), describeType(widened(right))]
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

const orderedKinds: ReadonlySet<Type['kind']> = new Set(['string', 'bool', 'timestamp', 'duration', 'dyn'])

function order(left: Type, right: Type): Type | undefined {
  if (isNumeric(left) && (isNumeric(right) || right.kind === 'dyn')) return bool
  if (isNumeric(right) && left.kind === 'dyn') return bool
  if (!orderedKinds.has(left.kind) || !orderedKinds.has(right.kind)) return undefined
  return comparable(left, right) ? bool : undefined
}

/** The same with text that is read as a time: beside a time, and on both sides of a minus, where nothing else can be meant. */
function withTimes(operator: string, left: Type, right: Type): Type | undefined {
  const [leftTime, rightTime] = [timeKind(left), timeKind(right)]
  const areTexts = left.kind === 'string' && right.kind === 'string'
  const areRead = leftTime !== undefined && rightTime !== undefined ? !areTexts || operator === '-' : false
  if (!areRead) return arithmetic(operator, left, right)
  const result = arithmetic(operator, timesByKind[leftTime!], timesByKind[rightTime!])
  const isAssumed = [left, right].some((type) => type.kind === 'string' || type.assumed === true)
  return result && isAssumed ? assumed(result) : result
}

function arithmetic(operator: string, left: Type, right: Type): Type | undefined {
  if (isNumeric(left) && isNumeric(right)) return numeric(operator, left, right)
  if (left.kind === 'dyn' || right.kind === 'dyn') {
    const known = left.kind === 'dyn' ? right : left
    // The other side may be a time.
    return isTimeText(known) && /^[+-]$/.test(operator) ? dyn : withUnknown(operator, known)
  }
  const kinds = `${left.kind} ${operator} ${right.kind}`
  switch (kinds) {
    case 'string + string':
      return string
    case 'list + list':
      return left.kind === 'list' && right.kind === 'list'
        ? list(union([left.element, right.element]))
        : undefined
    case 'timestamp + duration':
    case 'duration + timestamp':
    case 'timestamp - duration':
      return timestamp
    case 'timestamp - timestamp':
    case 'duration + duration':
    case 'duration - duration':
      return duration
    default:
      return undefined
  }
}

function withUnknown(operator: string, known: Type): Type | undefined {
  if (known.kind === 'dyn' || isNumeric(known)) return dyn
  if (operator === '+') {
    if (known.kind === 'string') return string
    return known.kind === 'list' || known.kind === 'timestamp' || known.kind === 'duration' ? dyn : undefined
  }
  return operator === '-' && (known.kind === 'timestamp' || known.kind === 'duration') ? dyn : undefined
}

function numeric(operator: string, left: Type, right: Type): Type {
  if (left.kind === 'int' && right.kind === 'int') return int
  if (operator === '%') return { kind: 'number', whole: true }
  if (left.kind === 'double' || right.kind === 'double') return double
  return { kind: 'number', whole: operator !== '/' && isWhole(left) && isWhole(right) }
}

/** A literal is spoken of as its type, not as an enumeration of one. */
export const widened = (type: Type): Type => (type.kind === 'string' ? string : type)

function plusHint(left: Type, right: Type): string | undefined {
  const other = left.kind === 'string' ? right : left
  return other.kind === 'list' ? "join the list: list.join(', ')" : 'convert with string(…)'
}

/** A duration in quotes beside a time. */
const writtenDuration = (text: Type, time: Type): boolean =>
  (time.kind === 'timestamp' || time.kind === 'duration') &&
  text.kind === 'string' &&
  text.literal === true &&
  text.values?.every((value) => kindOfTime(value) === 'duration') === true

/** How to find a time among texts. */
function elementHint(
  checker: Checker,
  { left, right }: BinaryNode,
  type: Type,
  element: Type,
): string | undefined {
  if ((type.kind !== 'timestamp' && type.kind !== 'duration') || element.kind !== 'string') return undefined
  return `convert the elements: ${checker.text(right)}.exists(x, ${type.kind}(x) == ${checker.text(left)})`
}

/** How to compare a number with a point in time. */
function timeHint(checker: Checker, node: BinaryNode, left: Type, right: Type): string | undefined {
  const sides = [
    [node.left, left, right],
    [node.right, right, left],
  ] as const
  for (const [operand, type, other] of sides) {
    if (type.kind !== 'number' || timeKind(other) !== 'timestamp') continue
    const text = checker.text(operand)
    return type.unit === 'epoch_ms'
      ? fromMilliseconds(text)
      : `convert with timestamp(${text}), if it counts seconds`
  }
  return undefined
}

export const fromMilliseconds = (text: string): string =>
  `${text} counts milliseconds: write timestamp(${text} / 1000)`

/** How to make text comparable with what stands on the other side. */
export function conversionHint(left: Type, right: Type): string | undefined {
  const [text, other] = left.kind === 'string' ? [left, right] : [right, left]
  if (text.kind === 'optional' || other.kind === 'optional') return 'take the value out with orValue(…)'
  if (text.kind !== 'string') return undefined
  if (other.kind === 'timestamp') return 'convert with timestamp(…)'
  if (other.kind === 'duration') return 'convert with duration(…)'
  if (isNumeric(other)) return 'convert with double(…) or int(…)'
  if (other.kind !== 'bool') return undefined
  return text.values && text.literal !== true
    ? `the text is ${describeType(text)}: compare it with that`
    : 'convert with bool(…), or compare it with text in quotes'
}
