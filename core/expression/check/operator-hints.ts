import type { BinaryNode } from '../parse/ast.ts'
import type { Checker } from './checker.ts'
import { kindOfTime } from '../values/text-times.ts'
import { describeType, isNumeric, string, timeKind, type Type } from '../types/types.ts'

/** How to make an operator work on its operands. */
export function operandHint(checker: Checker, node: BinaryNode, left: Type, right: Type): string | undefined {
  const isSum = /^[+-]$/.test(node.operator)
  if (isSum && (writtenDuration(left, right) || writtenDuration(right, left)))
    return 'convert with duration(…)'
  return node.operator === '+' && [left.kind, right.kind].includes('string')
    ? plusHint(left, right)
    : (timeHint(checker, node, left, right) ?? conversionHint(left, right))
}

/** In messages a string literal has the type `string`, not an enumeration of one value. */
export const withoutValues = (type: Type): Type => (type.kind === 'string' ? string : type)

function plusHint(left: Type, right: Type): string | undefined {
  const other = left.kind === 'string' ? right : left
  if (other.kind === 'optional') return 'it may be missing: add .orValue(…)'
  return other.kind === 'list' ? "join the list: list.join(', ')" : 'convert with string(…)'
}

/** A duration in quotes beside a time. */
const writtenDuration = (text: Type, time: Type): boolean =>
  (time.kind === 'timestamp' || time.kind === 'duration') &&
  text.kind === 'string' &&
  text.literal === true &&
  text.values?.every((value) => kindOfTime(value) === 'duration') === true

/** How to find a time among texts. */
export function elementHint(
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
  `${text} is in milliseconds: write timestamp(${text} / 1000)`

/** How to make a string comparable with the other operand. */
export function conversionHint(left: Type, right: Type): string | undefined {
  const [text, other] = left.kind === 'string' ? [left, right] : [right, left]
  if (text.kind === 'optional' || other.kind === 'optional') return 'get the value with orValue(…)'
  if (text.kind !== 'string') return undefined
  if (other.kind === 'timestamp') return 'convert with timestamp(…)'
  if (other.kind === 'duration') return 'convert with duration(…)'
  if (isNumeric(other)) return 'convert with double(…) or int(…)'
  if (other.kind !== 'bool') return undefined
  return text.values && text.literal !== true
    ? `the string is ${describeType(text)}: compare it with one of these`
    : 'convert with bool(…), or compare it with a quoted string'
}
