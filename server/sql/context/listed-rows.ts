import type { Work } from '../database/work.ts'
import { UnavailableError } from '../../../core/errors/errors.ts'
import type { Database } from '../database/database.ts'
import type { Condition, Order } from '../database/paging.ts'
import { countAlerts } from '../numbers/count-rows.ts'
import { SqlStore } from './store-context.ts'

/**
 * Tables whose indexes for lists contain only rows with `listed = 1`. A new row is inserted with 0 and changes its state several
 * times within a moment; each index would be written each time.
 */
export type ListedTable = 'alerts' | 'cases'
const listedTables: readonly ListedTable[] = ['alerts', 'cases']

/** Rows of one write: some ten milliseconds. */
const batchRows = 1_000

/** Rows are added to the indexes when they are this old: by then, most investigations have ended. */
const settlingMs = 2_000

interface Bounds {
  readonly listed: number
  readonly newest: number
}

const selectBounds = (table: ListedTable) => `
  SELECT (SELECT CAST(value AS bigint) FROM facts WHERE name = '${table}_listed_to') AS listed, (SELECT coalesce(max(id), 0) FROM ${table}) AS newest`

/** Adds rows to the indexes of lists: in the background, and all remaining ones before a list that uses these indexes. */
export class ListedRows extends SqlStore {
  /** The newest row of each table some time ago. */
  readonly #seen = new Map<ListedTable, { readonly row: number; readonly atMs: number }>()

  /**
   * The condition for a query that uses the indexes; all rows stored so far satisfy it. None if the rows cannot be added to the
   * indexes now, e.g. because the disk is full: the query then reads the whole table.
   */
  async condition(table: ListedTable): Promise<readonly Condition[]> {
    try {
      // Rows that arrive during the list are left out, so that the list ends even if alerts keep
      // arriving.
      let { listed, newest: last } = await this.read(() => this.#boundsOf(table))
      while (listed < last) listed = await this.write(() => listNextRows(this.database, table, last))
    } catch (error) {
      if (error instanceof UnavailableError) return []
      throw error
    }
    return [{ sql: 't.listed = 1', values: [] }]
  }

  /** Whether rows of any table are missing in its indexes. */
  *isBehind(): Work<boolean> {
    for (const table of listedTables) if (isBehind(yield* this.#boundsOf(table))) return true
    return false
  }

  /** Whether `listSettled` may have rows to add. */
  isDue(nowMs: number): boolean {
    return listedTables.some((table) => this.#isDue(table, nowMs))
  }

  #isDue(table: ListedTable, nowMs: number): boolean {
    const seen = this.#seen.get(table)
    return seen === undefined || nowMs - seen.atMs >= settlingMs
  }

  /** Inside of a write that excludes all others: adds rows that are old enough. */
  *listSettled(nowMs: number): Work<void> {
    for (const table of listedTables) {
      if (!this.#isDue(table, nowMs)) continue
      const seen = this.#seen.get(table)
      if (seen !== undefined && (yield* listNextRows(this.database, table, seen.row)) < seen.row) continue
      this.#seen.set(table, { row: (yield* this.#boundsOf(table)).newest, atMs: nowMs })
    }
  }

  *#boundsOf(table: ListedTable): Work<Bounds> {
    return yield* boundsOf(this.database, table)
  }
}

const boundsOf = (database: Database, table: ListedTable): Work<Bounds> =>
  database.one<Bounds>(selectBounds(table))

/** Inside of a write that excludes all others: adds the next rows to the indexes. Gives the key of the last row in them. */
export function* listNextRows(database: Database, table: ListedTable, upTo = Infinity): Work<number> {
  const { listed, newest } = yield* boundsOf(database, table)
  const last = Math.min(newest, upTo, listed + batchRows)
  if (last <= listed) return listed
  yield* database.run(`UPDATE ${table} SET listed = 1 WHERE id > ? AND id <= ?`, listed, last)
  if (table === 'alerts') yield* countAlerts(database, listed, last)
  yield* database.run(`UPDATE facts SET value = ? WHERE name = '${table}_listed_to'`, last)
  return last
}

const isBehind = ({ listed, newest }: Bounds): boolean => newest > listed

/** A list of all rows in the order of their keys needs no index. */
export const needsIndex = (filters: readonly Condition[], { by }: Order<never>): boolean =>
  filters.length > 0 || by !== undefined
