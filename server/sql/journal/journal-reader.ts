import type { Work } from '../database/work.ts'
import type { JournalEntry, Resolution } from '../../../core/domain/run.ts'
import type {
  JournalLine,
  JournalLineState,
  JournalReader,
  JournalChunk,
  ChunkRequest,
} from '../../../core/ports/runs/journal-reader.ts'
import type { ListPage, ListRequest } from '../../../core/ports/common.ts'
import { fromJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { runWithJournal } from '../runs/reruns.ts'
import {
  selectJournal,
  selectJournalInputs,
  toEntry,
  toFailedAttempt,
  type EntryRow,
  type FailedAttemptRow,
} from './journal-rows.ts'
import { listPage } from '../database/paging.ts'
import { SqlStore } from '../context/store-context.ts'

const ofRun = `run_id = ${runWithJournal}`

/** SQLite knows the size of a value without reading it. */
const selectSizes = `
  SELECT id, coalesce(octet_length(input), 0) + CASE WHEN ? = 1 THEN 0 ELSE coalesce(octet_length(output), 0) END AS bytes,
    CAST(? AS text) IS NULL OR kind IN (SELECT value FROM json_each(?)) AS "isWanted"
  FROM journal WHERE ${ofRun} AND id > ? ORDER BY id LIMIT ?`

const selectAttempts = `
  SELECT j.id AS row, f.path, f.attempt, f.error, f.started_at AS "startedAt", f.ended_at AS "endedAt", f.retry_at AS "retryAt"
  FROM journal j JOIN failed_attempts f ON f.run_id = j.run_id AND f.path = j.path
  WHERE j.id IN (SELECT CAST(value AS bigint) FROM json_each(?)) ORDER BY j.id, f.attempt`

const selectStates = `
  SELECT id AS row, state, attempt, resolution,
    (SELECT count(*) FROM failed_attempts f WHERE f.run_id = j.run_id AND f.path = j.path) AS "failedAttempts"
  FROM journal j WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(?)) ORDER BY id`

const selectPlaces = `
  SELECT place, id FROM (SELECT row_number() OVER (ORDER BY id) - 1 AS place, id FROM journal WHERE ${ofRun}) AS placed
  WHERE place IN (SELECT CAST(value AS bigint) FROM json_each(?))`

const selectPlaced =
  'SELECT t.id AS id, coalesce(octet_length(t.input), 0) + coalesce(octet_length(t.output), 0) AS bytes FROM journal t'

interface SizeRow {
  readonly id: number
  readonly bytes: number
  readonly isWanted: 0 | 1
}

type PlacedRow = Omit<SizeRow, 'isWanted'>
type Size = Omit<SizeRow, 'isWanted'> & { readonly isWanted: boolean }

type StateRow = Pick<JournalEntry, 'state' | 'attempt'> & {
  readonly row: number
  readonly resolution: string | null
  readonly failedAttempts: number
}

export class SqlJournalReader extends SqlStore implements JournalReader {
  readChunk(
    runUuid: string,
    { after = 0, lines, bytes, kinds, maxBytes = Infinity, withoutOutputs = false }: ChunkRequest,
  ): Promise<JournalChunk> {
    return this.read(function* () {
      const wanted = kinds === undefined ? null : JSON.stringify(kinds)
      const sizes = (yield* this.database.all<SizeRow>(
        selectSizes,
        withoutOutputs ? 1 : 0,
        wanted,
        wanted,
        runUuid,
        after,
        lines,
      )).map(({ isWanted, ...size }) => ({ ...size, isWanted: isWanted === 1 && size.bytes <= maxBytes }))
      const looked = sizes.slice(0, fitting(sizes, bytes))
      const rows = looked.flatMap(({ id, isWanted }) => (isWanted ? [id] : []))
      const isEnd = looked.length === sizes.length && sizes.length < lines
      return {
        lines: yield* linesOf(this.database, rows, withoutOutputs),
        next: isEnd ? undefined : looked.at(-1)?.id,
      }
    })
  }

  page(runUuid: string, page: ListRequest & { readonly bytes: number }): Promise<ListPage<JournalLine>> {
    return this.read(function* () {
      const { id: run } = yield* this.database.one<{ id: number | null }>(
        `SELECT ${runWithJournal} AS id`,
        runUuid,
      )
      const rows = yield* listPage<PlacedRow, number>(this.database, {
        name: `steps ${run}`,
        table: 'journal t',
        select: selectPlaced,
        conditions: [{ sql: 't.run_id = ?', values: [run ?? 0] }],
        page,
        cut: (all) =>
          all.slice(
            0,
            fitting(
              all.map(({ id, bytes }) => ({ id, bytes, isWanted: true })),
              page.bytes,
            ),
          ),
        toItem: ({ id }) => id,
      })
      const lines = yield* linesOf(this.database, rows.data)
      return { ...rows, data: page.oldestFirst === true ? lines : lines.toReversed() }
    })
  }

  line(row: number): Promise<JournalLine | undefined> {
    return this.read(function* () {
      return (yield* linesOf(this.database, [row]))[0]
    })
  }

  states(rows: readonly number[]): Promise<readonly JournalLineState[]> {
    return this.read(function* () {
      return (yield* this.database.all<StateRow>(selectStates, JSON.stringify(rows))).map(
        ({ resolution, ...state }) => ({
          ...state,
          resolvedAt: fromJson<Resolution>(resolution)?.at,
        }),
      )
    })
  }

  rowsAt(runUuid: string, places: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.read(function* () {
      const rows = yield* this.database.all<{ place: number; id: number }>(
        selectPlaces,
        runUuid,
        JSON.stringify(places),
      )
      return new Map(rows.map(({ place, id }) => [place, id]))
    })
  }
}

/** Number of lines within the limit, at least one wanted line. */
function fitting(sizes: readonly Size[], maxBytes: number): number {
  let total = 0
  const beyond = sizes.findIndex(({ bytes, isWanted }) => {
    const isFirst = total === 0
    if (isWanted) total += bytes
    return !isFirst && isWanted && total > maxBytes
  })
  return beyond === -1 ? sizes.length : beyond
}

function* linesOf(
  database: Database,
  rows: readonly number[],
  withoutOutputs = false,
): Work<readonly JournalLine[]> {
  if (rows.length === 0) return []
  const ids = JSON.stringify(rows)
  const failed = Map.groupBy(
    yield* database.all<FailedAttemptRow & { readonly row: number }>(selectAttempts, ids),
    ({ row }) => row,
  )
  return (yield* database.all<EntryRow>(
    `${withoutOutputs ? selectJournalInputs : selectJournal} WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(?)) ORDER BY id`,
    ids,
  )).map((entry) => ({
    row: entry.id,
    entry: toEntry(entry),
    failedAttempts: (failed.get(entry.id) ?? []).map(({ row: _, ...attempt }) => toFailedAttempt(attempt)),
  }))
}
