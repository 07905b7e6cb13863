import { ValidationError } from '../../../core/errors/errors.ts'
import type { Page } from '../../../core/ports/common.ts'

type Value = string | number | null

/** How a list that is kept in memory is sorted: by the fields it may be sorted by, and rows of the same value by their key. */
export interface RowOrder<Row> {
  /** Stands in the cursor, so that one list's cursor is refused by another. */
  readonly name: string
  readonly sorts: Readonly<Record<string, (row: Row) => Value>>
  /** Of a row, and of no other. */
  readonly key: (row: Row) => string
}

interface RowsRequest {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** A name of `sorts`, with `-` downwards. Default: the first of them. */
  readonly sort?: string | undefined
}

/**
 * One page of rows that are all there: lists that people configure. The cursor is the place of the last row shown, so that the pages to come stay
 * the same while others are added.
 *
 * @throws ValidationError `invalid_cursor`
 */
export function pageOfRows<Row>(
  rows: readonly Row[],
  { limit = 50, cursor, sort }: RowsRequest,
  { name, sorts, key }: RowOrder<Row>,
): Page<Row> {
  const by = sort ?? Object.keys(sorts)[0] ?? ''
  const isDescending = by.startsWith('-')
  const valueOf = sorts[isDescending ? by.slice(1) : by] ?? (() => null)
  const placeOf = (row: Row): Place => [valueOf(row), key(row)]
  const compare = (a: Place, b: Place): number => (isDescending ? comparePlaces(b, a) : comparePlaces(a, b))
  const sorted = rows.toSorted((a, b) => compare(placeOf(a), placeOf(b)))
  const start = cursor === undefined ? undefined : readCursor(`${name}/${by}`, cursor)
  const rest = start === undefined ? sorted : sorted.filter((row) => compare(placeOf(row), start) > 0)
  const data = rest.slice(0, limit)
  const last = data.length < rest.length ? data.at(-1) : undefined
  const nextCursor = last === undefined ? null : writeCursor(`${name}/${by}`, placeOf(last))
  return { data, nextCursor, total: rows.length }
}

/** Value and key of a row. */
type Place = readonly [value: Value, key: string]

function comparePlaces([value, key]: Place, [otherValue, otherKey]: Place): number {
  return compareValues(value, otherValue) || compareValues(key, otherKey)
}

/** What is not there stands before all that is. */
function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null)
  return a < b ? -1 : Number(a > b)
}

function writeCursor(order: string, place: Place): string {
  return Buffer.from(JSON.stringify([order, ...place])).toString('base64url')
}

function readCursor(order: string, cursor: string): Place {
  const [given, value, key] = parsed(Buffer.from(cursor, 'base64url').toString())
  const isValue = value === null || typeof value === 'string' || typeof value === 'number'
  if (given === order && isValue && typeof key === 'string') return [value, key]
  const message = 'this is not a cursor of this list'
  throw new ValidationError('invalid_cursor', message, [{ pointer: '/cursor', message }], {
    hint: 'Give next_cursor of the page before, unchanged and with the same sort, or leave the cursor out to begin anew.',
  })
}

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
