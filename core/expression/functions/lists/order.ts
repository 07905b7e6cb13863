import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { compareText } from '../../values/operators.ts'
import { hasFormOfTimestamp } from '../../values/text-times.ts'
import { compareTimes, timestampIn } from '../../values/time.ts'
import { Duration, kindOfValue, Timestamp, type Value } from '../../values/values.ts'
import { invalidArgument, wrongArgument } from '../function.ts'

type Ordered = number | bigint | string | boolean | Timestamp | Duration
type Compare = (left: Ordered, right: Ordered) => number

/** Sort keys, and how to compare them. */
export interface Ranking {
  readonly keys: readonly Ordered[]
  readonly compare: Compare
}

const kindOf = (value: Value | undefined): string | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value
  return value instanceof Timestamp ? 'timestamp' : value instanceof Duration ? 'duration' : undefined
}

/** NaN is the last of the numbers. */
const compareNumbers: Compare = (left, right) =>
  left < right ? -1 : left > right ? 1 : Number(Number.isNaN(left)) - Number(Number.isNaN(right))

const compareAny: Compare = (left, right) => compareTimes(left as Timestamp, right as Timestamp)
const compareTruths: Compare = (left, right) => Number(left) - Number(right)

/**
 * How to order values of one kind. Strings are ordered by code point, or as points in time if all of them are.
 * Throws a fault for values of different kinds, or without an order.
 */
export function rank(values: readonly Value[], name: string, meter: Meter, span: Span): Ranking {
  const kind = kindOf(values[0])
  meter.spend(values.length >>> 3, span)
  for (const [at, value] of values.entries()) {
    if (kindOf(value) === undefined) throw noOrder(name, value, at, span)
    if (kindOf(value) !== kind) {
      const message = `${name}: element ${at} is ${kindOfValue(value)}, the first is ${kindOfValue(values[0]!)}`
      throw invalidArgument(span, message, 'convert the elements: list.map(x, string(x))')
    }
  }
  if (kind === 'string') return rankTexts(values as readonly string[], meter, span)
  const compare = kind === 'number' ? compareNumbers : kind === 'boolean' ? compareTruths : compareAny
  return { keys: values as readonly Ordered[], compare }
}

function noOrder(name: string, value: Value, at: number, span: Span) {
  if (value !== null) return wrongArgument(span, value, `${name}: numbers, strings, bools or times`)
  return invalidArgument(span, `${name}: element ${at} is null`, 'leave out nulls: .filter(x, x != null)')
}

function rankTexts(texts: readonly string[], meter: Meter, span: Span): Ranking {
  if (texts.every(hasFormOfTimestamp)) {
    meter.spend(texts.length * 3, span)
    const times = texts.map(timestampIn)
    if (times.every((time) => time !== undefined)) return { keys: times, compare: compareAny }
  }
  const compare: Compare = (left, right) => {
    const [a, b] = [left as string, right as string]
    meter.search(Math.min(a.length, b.length), span)
    return compareText(a, b)
  }
  return { keys: texts, compare }
}

/** The items in the order of their keys; equal ones stay in their order. */
export function sortBy(
  items: readonly Value[],
  keys: readonly Value[],
  name: string,
  meter: Meter,
  span: Span,
): readonly Value[] {
  if (items.length < 2 && kindOf(keys[0]) !== undefined) return items
  if (items.length === 0) return items
  const ranking = rank(keys, name, meter, span)
  const count = items.length
  meter.spend((count * Math.ceil(Math.log2(count + 1))) >>> 3, span)
  meter.allocate(16 + count * 24, span)
  const order = Array.from({ length: count }, (_, at) => at)
  order.sort((left, right) => ranking.compare(ranking.keys[left]!, ranking.keys[right]!))
  return order.map((at) => items[at]!)
}
