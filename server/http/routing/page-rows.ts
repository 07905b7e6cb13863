import { ValidationError } from '../../../core/errors/errors.ts'
import type { ListPage } from '../../../core/ports/common.ts'

type Value = string | number | null

/** How to sort an in-memory list: by one of `sorts`, then by key. */
export interface RowOrder<Row> {
  /** Part of the cursor, so that cursors of other lists are refused. */
  readonly name: string
  readonly sorts: Readonly<Record<string, (row: Row) => Value>>
  /** Unique per row. */
  readonly key: (row: Row) => string
}

export interface RowsRequest {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** A name of `sorts`, with `-` for descending. Default: the first one. */
  readonly sort?: string | undefined
}

/**
 * One page of an in-memory list, for objects that people configure. The cursor is the position of the last
 * row, so that later pages stay stable while rows are added.
 *
 * @throws ValidationError `invalid_cursor`
 */
export function pageOfRows<Row>(
  rows: readonly Row[],
  { limit = 50, cursor, sort }: RowsRequest,
  { name, sorts, key }: RowOrder<Row>,
): ListPage<Row> {
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

type Place = readonly [value: Value, key: string]

function comparePlaces([value, key]: Place, [otherValue, otherKey]: Place): number {
  return compareValues(value, otherValue) || compareValues(key, otherKey)
}

/** Null sorts first. */
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
  const message = 'the cursor does not belong to this list'
  throw new ValidationError('invalid_cursor', message, [{ pointer: '/cursor', message }], {
    hint: 'Use next_cursor of the previous page with the same sort, or omit the cursor to start from the first page.',
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
