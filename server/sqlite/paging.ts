import { ValidationError } from '../../core/errors/errors.ts'
import type { Page, PageRequest } from '../../core/ports.ts'
import type { Database, Value } from './database.ts'

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
  /** Stands in the cursor, so that one list's cursor is refused by another. */
  readonly name: string
  readonly page: PageRequest
  readonly toItem: (row: Row) => Item
}

const maxLimit = 200

/**
 * One page, newest first. The cursor is the integer key of the last row shown: later rows have greater keys, so that the
 * pages to come stay the same while rows are added.
 *
 * Throws ValidationError `invalid_limit` and `invalid_cursor`.
 */
export function listPage<Row extends { readonly id: number }, Item>(
  database: Database,
  query: ListQuery<Row, Item>,
): Page<Item> {
  const { table, select, conditions, page } = query
  const limit = requireLimit(page.limit)
  const values = conditions.flatMap((condition) => condition.values)
  const total = database.get<{ total: number }>(
    `SELECT count(*) AS total FROM ${table} ${whereAll(conditions)}`,
    ...values,
  )
  const start = page.cursor === undefined ? [] : [startBelow(query.name, page.cursor)]
  const rows = database.all<Row>(
    `${select} ${whereAll([...conditions.map(inOrder), ...start])} ORDER BY t.id DESC LIMIT ?`,
    ...values,
    ...start.flatMap((condition) => condition.values),
    limit + 1,
  )
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    data: shown.map((row) => query.toItem(row)),
    nextCursor: last === undefined ? null : encodeCursor(query.name, last.id),
    total: total?.total ?? 0,
  }
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

function encodeCursor(name: string, id: number): string {
  return Buffer.from(`${name}:${id}`).toString('base64url')
}

function startBelow(name: string, cursor: string): Condition {
  const text = cursor.length <= 64 ? Buffer.from(cursor, 'base64url').toString('latin1') : ''
  const [, id] = text.startsWith(`${name}:`) ? (/:([1-9][0-9]{0,14})$/.exec(text) ?? []) : []
  if (id !== undefined) return { sql: 't.id < ?', values: [Number(id)] }
  const message = 'this is not a cursor of this list'
  throw new ValidationError('invalid_cursor', message, [{ pointer: '/cursor', message }], {
    hint: 'Give next_cursor of the page before, unchanged, or leave the cursor out.',
  })
}
