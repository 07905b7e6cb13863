import { stringifyJson } from '../../common/json.ts'

/** A key of a map or an index of a list. */
export type Part = string | number

export interface Difference {
  /** Where in the expected value. */
  readonly at: readonly Part[]
  readonly expected: string
  readonly got: string
}

/**
 * Where a value is not as expected. Maps may hold more than is expected of them; lists have to have the same items; everything
 * else has to be equal.
 */
export function compare(expected: unknown, actual: unknown, at: readonly Part[] = []): readonly Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [differ(at, expected, actual)]
    return expected.flatMap((item, index) => compare(item, actual[index], [...at, index]))
  }
  if (isMap(expected)) {
    if (!isMap(actual)) return [differ(at, expected, actual)]
    return Object.entries(expected).flatMap(([name, value]) =>
      Object.hasOwn(actual, name)
        ? compare(value, actual[name], [...at, name])
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

function differ(at: readonly Part[], expected: unknown, actual: unknown): Difference {
  return { at, expected: show(expected), got: show(actual) }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isEqual = (expected: unknown, actual: unknown): boolean => exactly(expected) === exactly(actual)

/** An integer beyond 2^53 may be written with and without exponent. */
const exactly = (value: unknown): unknown => (Number.isInteger(value) ? BigInt(value as number) : value)
