import { ValidationError } from '../../../core/errors/errors.ts'
import type { Page, PageRequest } from '../../../core/ports/common.ts'
import type { Database } from './database.ts'
import type { Value } from './columns.ts'

/** A part of a WHERE clause: constant SQL with its bound values. */
export interface Condition {
  readonly sql: string
  /** Used instead of `sql` where rows are wanted newest first; absent: the same. */
  readonly sqlInOrder?: string
  readonly values: readonly Value[]
}

export interface ListQuery<Row, Item> {
  /** The table that is counted, with its alias `t`; conditions speak of `t` only. */
  readonly table: string
  /** Ends before WHERE; selects `t.id` as `id`. */
  readonly select: string
  readonly conditions: readonly Condition[]
  /** Table that tells by its size how long counting takes, where `table` is joined of several. Default: `table`. */
  readonly sized?: string
  /** Column of the rows' keys. Default `t.id`. */
  readonly key?: string
  /** Stands in the cursor, so that one list's cursor is refused by another. */
  readonly name: string
  readonly page: PageRequest
  /** Default: newest first, or as the page wants it. */
  readonly order?: Order<Row>
  /** The first of the rows that shall be shown, at least one; the rest follows on the next page. Default: all. */
  readonly cut?: (rows: readonly Row[]) => readonly Row[]
  readonly toItem: (row: Row) => Item
}

/** By an integer column that is never null, and rows with the same value by their key. */
export interface Order<Row> {
  readonly descending: boolean
  /** Absent: by the key alone, which is the order in which the rows were made. */
  readonly by?: {
    /** Of `t`. */
    readonly column: string
    readonly valueOf: (row: Row) => number
  }
}

const maxLimit = 200

/**
 * One page. The cursor is the place of the last row shown: its key, and its value where the list is sorted by one. Newest first,
 * the pages to come stay the same while rows are added.
 *
 * Throws ValidationError `invalid_limit` and `invalid_cursor`.
 */
export function listPage<Row extends { readonly id: number }, Item>(
  database: Database,
  query: ListQuery<Row, Item>,
): Page<Item> {
  const { conditions, page } = query
  const order = query.order ?? { descending: page.oldestFirst !== true }
  const limit = requireLimit(page.limit)
  const key = query.key ?? 't.id'
  const values = conditions.flatMap((condition) => condition.values)
  const start = page.cursor === undefined ? [] : [startBehind(database, query.name, order, page.cursor, key)]
  const rows = database.all<Row>(
    `${query.select} ${whereAll([...conditions.map(inOrder), ...start])} ${orderBy(order, key)} LIMIT ?`,
    ...values,
    ...start.flatMap((condition) => condition.values),
    limit + 1,
  )
  const whole = rows.slice(0, limit)
  const shown = query.cut?.(whole) ?? whole
  const last = shown.length < rows.length ? rows[shown.length - 1] : undefined
  return {
    data: shown.map((row) => query.toItem(row)),
    nextCursor: last === undefined ? null : cursorAt(database, query.name, order, last),
    total: Math.max(totalOf(database, query), shown.length),
  }
}

type Counted = Pick<ListQuery<never, never>, 'table' | 'sized' | 'conditions'>

function totalOf(database: Database, { table, sized = table, conditions }: Counted): number {
  const sql = `SELECT count(*) AS total FROM ${table} ${whereAll(conditions)}`
  const values = conditions.flatMap((condition) => condition.values)
  const { rows } = database.one<{ rows: number }>(`SELECT ifnull(max(t.id), 0) AS rows FROM ${sized}`)
  return database.counts.total(
    JSON.stringify([sql, values]),
    rows,
    () => database.one<{ total: number }>(sql, ...values).total,
  )
}

function orderBy({ by, descending }: Order<never>, key: string): string {
  const direction = descending ? 'DESC' : 'ASC'
  return `ORDER BY ${by === undefined ? '' : `${by.column} ${direction}, `}${key} ${direction}`
}

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

function cursorAt<Row extends { readonly id: number }>(
  database: Database,
  name: string,
  order: Order<Row>,
  row: Row,
): string {
  const place = { value: order.by?.valueOf(row) ?? 0, row: row.id }
  return database.cursors.seal(cursorName(name, order), place)
}

/** One order's cursor is refused by another. */
function cursorName(name: string, { by, descending }: Order<never>): string {
  if (by === undefined) return descending ? name : `${name}/ASC`
  return `${name}/${by.column}/${descending ? 'DESC' : 'ASC'}`
}

/** Throws ValidationError `invalid_cursor`. */
function startBehind(
  database: Database,
  name: string,
  order: Order<never>,
  cursor: string,
  key: string,
): Condition {
  const { by, descending } = order
  const comparison = descending ? '<' : '>'
  const place = database.cursors.open(cursorName(name, order), cursor)
  if (place === undefined) throw invalidCursor()
  return by === undefined
    ? { sql: `${key} ${comparison} ?`, values: [place.row] }
    : { sql: `(${by.column}, ${key}) ${comparison} (?, ?)`, values: [place.value, place.row] }
}

function invalidCursor(): ValidationError {
  const message = 'this is not a cursor of this list'
  return new ValidationError('invalid_cursor', message, [{ pointer: '/cursor', message }], {
    hint: 'Give next_cursor of the page before, unchanged and with the same sort, or leave the cursor out to begin anew.',
  })
}
