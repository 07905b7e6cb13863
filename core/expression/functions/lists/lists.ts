import type { Meter } from '../../values/budget.ts'
import { Fault, type Span } from '../../values/errors.ts'
import { identityOf } from '../../values/identity.ts'
import { equals } from '../../values/operators.ts'
import { isList, Optional, type Value } from '../../values/values.ts'
import {
  global,
  integerArgument,
  invalidArgument,
  listArgument,
  method,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'
import { sortBy } from './order.ts'

/** Pays for a new list. */
function makeList(count: number, meter: Meter, span: Span): void {
  meter.spend(count >>> 3, span)
  meter.allocate(16 + count * 16, span)
}

function distinct(meter: Meter, span: Span, target: Value): Value {
  const list = listArgument(target, span)
  meter.spend(list.length >>> 2, span)
  const seen = new Set<unknown>()
  const result = list.filter((each) => {
    const { size } = seen
    return seen.add(identityOf(each, meter, span)).size > size
  })
  makeList(list.length + result.length, meter, span)
  return result
}

function flatten(meter: Meter, span: Span, target: Value, levels: Value | undefined): Value {
  const depth = levels === undefined ? 1 : integerArgument(levels, span)
  if (depth < 0)
    throw invalidArgument(span, `flatten: the number of levels is ${depth}; it must be 0 or more`)
  const result: Value[] = []
  flattenInto(result, listArgument(target, span), depth, meter, span)
  return result
}

/** A list may be part of a value many times, so each visit is paid before its elements are copied. */
function flattenInto(result: Value[], list: readonly Value[], depth: number, meter: Meter, span: Span): void {
  meter.spend(1, span)
  makeList(list.length, meter, span)
  for (const each of list) {
    if (depth > 0 && isList(each)) flattenInto(result, each, depth - 1, meter, span)
    else result.push(each)
  }
}

function slice(meter: Meter, span: Span, target: Value, from: Value, to: Value | undefined): Value {
  const list = listArgument(target, span)
  const start = integerArgument(from, span)
  const end = to === undefined ? list.length : integerArgument(to, span)
  if (start < 0 || end > list.length || start > end) {
    const message = `${start} to ${end} is outside of the list's 0 to ${list.length}`
    const hint = 'take(n) gives at most n elements'
    throw new Fault('expression_index_out_of_range', message, span, hint)
  }
  makeList(end - start, meter, span)
  return list.slice(start, end)
}

function take(meter: Meter, span: Span, target: Value, most: Value): Value {
  const list = listArgument(target, span)
  const count = integerArgument(most, span)
  if (count < 0) throw invalidArgument(span, `take: ${count} elements are too few`)
  makeList(Math.min(count, list.length), meter, span)
  return list.slice(0, count)
}

/** The same as for text; see `strings.ts`. */
export function reverseList(list: readonly Value[], meter: Meter, span: Span): Value {
  makeList(list.length, meter, span)
  return list.toReversed()
}

/** The position of an element, or -1. */
export function findElement(
  list: readonly Value[],
  element: Value,
  isLast: boolean,
  meter: Meter,
  span: Span,
): Value {
  meter.spend(list.length >>> 2, span)
  const isSame = (each: Value): boolean => equals(each, element, meter, span)
  return BigInt(isLast ? list.findLastIndex(isSame) : list.findIndex(isSame))
}

function range(meter: Meter, span: Span, count: Value): Value {
  const size = integerArgument(count, span)
  if (size <= 0) return []
  makeList(size, meter, span)
  return Array.from({ length: size }, (_, at) => BigInt(at))
}

const at =
  (position: 0 | -1): FunctionBody =>
  (_meter, span, target) => {
    const found = listArgument(target, span).at(position)
    return found === undefined ? Optional.none : new Optional(found)
  }

export const listFunctions: readonly ExpressionFunction[] = [
  method('first', ['list -> optional element'], at(0)),
  method('last', ['list -> optional element'], at(-1)),
  method('take', ['list, int -> same'], take, { price: 2 }),
  method('slice', ['list, int -> same', 'list, int, int -> same'], slice, { price: 2 }),
  method(
    'sort',
    ['ordered -> same'],
    (meter, span, target) => {
      const list = listArgument(target, span)
      return sortBy(list, list, 'sort', meter, span)
    },
    { price: 4 },
  ),
  method('distinct', ['list -> same'], distinct, { price: 4 }),
  method('flatten', ['list -> flattened', 'list, int -> any'], flatten, { price: 2 }),
  global('lists.range', ['int -> ints'], range, { price: 2 }),
]
