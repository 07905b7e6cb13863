import { eachTogether, type Work } from './work.ts'
import { ValidationError } from '../../../core/errors/errors.ts'
import type { ListPage, ListRequest } from '../../../core/ports/common.ts'
import type { Database } from './database.ts'
import type { SqlValue } from './columns.ts'

/** A part of a WHERE clause: constant SQL with its bound values. */
export interface Condition {
  readonly sql: string
  /** Replaces `sql` if rows are wanted newest first; absent: the same. */
  readonly sqlInOrder?: string
  readonly values: readonly SqlValue[]
}

export type ListQuery<Row, Item> = {
  /** The table to count, with its alias `t`; conditions use only `t`. */
  readonly table: string
  /** Ends before WHERE; selects `t.id` as `id`. */
  readonly select: string
  readonly conditions: readonly Condition[]
  /** Table whose size predicts the cost of counting, if `table` is a join. Default: `table`. */
  readonly sized?: string
  /** Column of the rows' keys. Default `t.id`. */
  readonly key?: string
  /** Stored in the cursor, so that other lists refuse it. */
  readonly name: string
  readonly page: ListRequest
  /** Default: newest first, or as requested. */
  readonly order?: Order<Row>
  /** Number of rows to show, at least one; the rest follows on the next page. Default: all. */
  readonly cut?: (rows: readonly Row[]) => readonly Row[]
} & (
  | { readonly toItem: (row: Row) => Item }
  /** Reads more rows for each item. */
  | { readonly readItem: (row: Row) => Work<Item> }
)

/** By an integer column that is never null, then by key. */
export interface Order<Row> {
  readonly descending: boolean
  /** Absent: by key alone, the order of creation. */
  readonly by?: {
    /** Column of `t`. */
    readonly column: string
    readonly valueOf: (row: Row) => number
  }
}

const maxLimit = 200

/**
 * One page. The cursor contains the last row's key and, in a sorted list, its sort value. Newest first, later
 * pages stay the same while rows are added.
 * Throws ValidationError `invalid_limit` and `invalid_cursor`.
 */
export function* listPage<Row extends { readonly id: number }, Item>(
  database: Database,
  query: ListQuery<Row, Item>,
): Work<ListPage<Item>> {
  const { conditions, page } = query
  const order = query.order ?? { descending: page.oldestFirst !== true }
  const limit = requireLimit(page.limit)
  const key = query.key ?? 't.id'
  const values = conditions.flatMap((condition) => condition.values)
  const start =
    page.cursor === undefined ? [] : [yield* startBehind(database, query.name, order, page.cursor, key)]
  const rows = yield* database.all<Row>(
    `${query.select} ${whereAll([...conditions.map(inOrder), ...start])} ${orderBy(order, key)} LIMIT ?`,
    ...values,
    ...start.flatMap((condition) => condition.values),
    limit + 1,
  )
  const whole = rows.slice(0, limit)
  const shown = query.cut?.(whole) ?? whole
  const last = shown.length < rows.length ? rows[shown.length - 1] : undefined
  return {
    data:
      'readItem' in query
        ? yield* eachTogether(shown, query.readItem)
        : shown.map((row) => query.toItem(row)),
    nextCursor: last === undefined ? null : yield* cursorAt(database, query.name, order, last),
    total: Math.max(yield* totalOf(database, query), shown.length),
  }
}

type Counted = Pick<ListQuery<never, never>, 'table' | 'sized' | 'conditions'>

function* totalOf(database: Database, { table, sized = table, conditions }: Counted): Work<number> {
  const sql = `SELECT count(*) AS total FROM ${table} ${whereAll(conditions)}`
  const values = conditions.flatMap((condition) => condition.values)
  const { rows } = yield* database.one<{ rows: number }>(
    `SELECT coalesce(max(t.id), 0) AS rows FROM ${sized}`,
  )
  return yield* database.counts.total(JSON.stringify([sql, values]), rows, function* () {
    return (yield* database.one<{ total: number }>(sql, ...values)).total
  })
}

function orderBy({ by, descending }: Order<never>, key: string): string {
  const direction = descending ? 'DESC' : 'ASC'
  return `ORDER BY ${by === undefined ? '' : `${by.column} ${direction}, `}${key} ${direction}`
}

/** A filter by one value; none if the value is undefined. */
export const filterBy = (sql: string, value: SqlValue | undefined): readonly Condition[] =>
  value === undefined ? [] : [{ sql, values: [value] }]

export function whereAll(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`
}

function inOrder({ sql, sqlInOrder, values }: Condition): Condition {
  return { sql: sqlInOrder ?? sql, values }
}

/** Throws ValidationError `invalid_limit`. */
export function requireLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit
  const message = `limit must be a whole number from 1 to ${maxLimit}; it is ${limit}`
  throw new ValidationError('invalid_limit', message, [{ pointer: '/limit', message }])
}

function* cursorAt<Row extends { readonly id: number }>(
  database: Database,
  name: string,
  order: Order<Row>,
  row: Row,
): Work<string> {
  const place = { value: order.by?.valueOf(row) ?? 0, row: row.id }
  return yield* database.cursors.seal(cursorName(name, order), place)
}

/** A cursor is valid for one sort order only. */
function cursorName(name: string, { by, descending }: Order<never>): string {
  if (by === undefined) return descending ? name : `${name}/ASC`
  return `${name}/${by.column}/${descending ? 'DESC' : 'ASC'}`
}

/** Throws ValidationError `invalid_cursor`. */
function* startBehind(
  database: Database,
  name: string,
  order: Order<never>,
  cursor: string,
  key: string,
): Work<Condition> {
  const { by, descending } = order
  const comparison = descending ? '<' : '>'
  const place = yield* database.cursors.open(cursorName(name, order), cursor)
  if (place === undefined) throw invalidCursor()
  return by === undefined
    ? { sql: `${key} ${comparison} ?`, values: [place.row] }
    : { sql: `(${by.column}, ${key}) ${comparison} (?, ?)`, values: [place.value, place.row] }
}

function invalidCursor(): ValidationError {
  const message = 'this is not a cursor of this list'
  return new ValidationError('invalid_cursor', message, [{ pointer: '/cursor', message }], {
    hint: 'Use next_cursor of the previous page with the same sort, or omit the cursor to start from the first page.',
  })
}
