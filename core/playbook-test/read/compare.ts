import { stringifyJson } from '../../common/json.ts'

/** A key of a map or an index of a list. */
export type DifferencePart = string | number

export interface Difference {
  /** Path in the expected value. */
  readonly at: readonly DifferencePart[]
  readonly expected: string
  readonly got: string
}

/**
 * The differences from an expected value. Maps may have further keys, lists must have the same items, and
 * everything else must be equal.
 */
export function compareValues(
  expected: unknown,
  actual: unknown,
  at: readonly DifferencePart[] = [],
): readonly Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [differ(at, expected, actual)]
    return expected.flatMap((item, index) => compareValues(item, actual[index], [...at, index]))
  }
  if (isMap(expected)) {
    if (!isMap(actual)) return [differ(at, expected, actual)]
    return Object.entries(expected).flatMap(([name, value]) =>
      Object.hasOwn(actual, name)
        ? compareValues(value, actual[name], [...at, name])
        : [{ at: [...at, name], expected: show(value), got: nothing }],
    )
  }
  return isEqual(expected, actual) ? [] : [differ(at, expected, actual)]
}

const nothing = 'nothing'
/** Longer values are cut. */
const maxShown = 300

/** A value as JSON, for messages. */
export function show(value: unknown): string {
  if (value === undefined) return nothing
  const text = stringifyJson(value)
  return text.length > maxShown ? `${text.slice(0, maxShown - 1)}…` : text
}

function differ(at: readonly DifferencePart[], expected: unknown, actual: unknown): Difference {
  return { at, expected: show(expected), got: show(actual) }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isEqual = (expected: unknown, actual: unknown): boolean => exactly(expected) === exactly(actual)

/** An integer beyond 2^53 may be written with and without exponent. */
const exactly = (value: unknown): unknown => (Number.isInteger(value) ? BigInt(value as number) : value)
