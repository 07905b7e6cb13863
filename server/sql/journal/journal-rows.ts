import type { StoreContext } from '../context/store-context.ts'
import type { Work } from '../database/work.ts'
import { setImmediate } from 'node:timers/promises'
import type { FailedAttempt, JournalEntry, Resolution, StoredError } from '../../../core/domain/run.ts'
import type { StepMasks } from '../../../core/domain/mask.ts'
import type { Database } from '../database/database.ts'
import { runWithJournal } from '../runs/reruns.ts'
import { fromJson, toJson } from '../database/columns.ts'
import { opened, sealedColumns } from '../context/sealed-values.ts'

export type EntryRow = Omit<
  JournalEntry,
  'input' | 'output' | 'error' | 'resolution' | 'carriedFrom' | 'sensitive'
> & {
  readonly id: number
  readonly resolution: string | null
  readonly carriedFrom: string | null
  readonly sensitive: string | null
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
}

export type FailedAttemptRow = Omit<FailedAttempt, 'error'> & { readonly error: string }

const { input, output } = sealedColumns
export const openedInput = opened(input.name, input.place)
export const openedOutput = opened(output.name, output.place)

const selectWith = (outputColumn: string): string => `
  SELECT id, path, step_id AS "stepId", kind, state, ${openedInput} AS input, ${outputColumn} AS output, error, attempt, started_at AS "startedAt",
    ended_at AS "endedAt", resolution, sensitive, (SELECT uuid FROM runs WHERE id = journal.carried_from) AS "carriedFrom"
  FROM journal`

/** Ends before WHERE. */
export const selectJournal = selectWith(openedOutput)
/** The same without outputs. */
export const selectJournalInputs = selectWith('NULL')

export function toEntry({ id: _, resolution, carriedFrom, sensitive, ...row }: EntryRow): JournalEntry {
  const { input, output, error } = row
  return {
    ...row,
    input: fromJson(input),
    output: fromJson(output),
    error: fromJson<StoredError>(error),
    ...(resolution === null ? {} : { resolution: fromJson<Resolution>(resolution) }),
    ...(carriedFrom === null ? {} : { carriedFrom }),
    ...(sensitive === null ? {} : { sensitive: fromJson<StepMasks>(sensitive) }),
  }
}

export function toFailedAttempt(row: FailedAttemptRow): FailedAttempt {
  return { ...row, error: fromJson<StoredError>(row.error) }
}

const selectEntry = `${selectJournal} WHERE run_id = ${runWithJournal} AND path = ?`

export const findEntryRow = (database: Database, runUuid: string, path: string): Work<EntryRow | undefined> =>
  database.get<EntryRow>(selectEntry, runUuid, path)

export function* readFailedAttempts(database: Database, runUuid: string): Work<readonly FailedAttempt[]> {
  return (yield* database.all<FailedAttemptRow>(
    `SELECT path, attempt, error, started_at AS "startedAt", ended_at AS "endedAt", retry_at AS "retryAt"
       FROM failed_attempts WHERE run_id = ${runWithJournal} ORDER BY path, attempt`,
    runUuid,
  )).map(toFailedAttempt)
}

/** Inside of a write. */
export function* noteFailedAttempt(database: Database, run: number, attempt: FailedAttempt): Work<void> {
  yield* database.run(
    `INSERT INTO failed_attempts (run_id, path, attempt, error, started_at, ended_at, retry_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    run,
    attempt.path,
    attempt.attempt,
    toJson(attempt.error),
    attempt.startedAt,
    attempt.endedAt,
    attempt.retryAt,
  )
}

/** Lines per piece. */
const entriesAtOnce = 1_000

const selectPiece = `${selectJournal} WHERE run_id = ${runWithJournal} AND id > ? ORDER BY id LIMIT ${entriesAtOnce}`

/** Reads a long journal in pieces and yields to other work between them. */
export async function readJournal(
  { database, transactions }: Pick<StoreContext, 'database' | 'transactions'>,
  runUuid: string,
): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (let after = 0; ;) {
    const rows = await transactions.read(() => database.all<EntryRow>(selectPiece, runUuid, after))
    for (const row of rows) entries.push(toEntry(row))
    if (rows.length < entriesAtOnce) break
    after = rows.at(-1)!.id
    await setImmediate()
  }
  if (entries.length < entriesAtOnce) return entries
  // The journal was deleted in between: a part must not pass for the whole.
  const run = `SELECT ${runWithJournal} AS id`
  const { id } = await transactions.read(() => database.one<{ id: number | null }>(run, runUuid))
  return id === null ? [] : entries
}

export function* organizationOfRun(database: Database, run: number): Work<number> {
  return (yield* database.one<{ organization: number }>(
    'SELECT organization_id AS organization FROM runs WHERE id = ?',
    run,
  )).organization
}

export const isOutputSensitive = ({ sensitive }: EntryRow): boolean =>
  sensitive !== null && fromJson<StepMasks>(sensitive).output !== undefined

export function errorJson(error: StoredError | null): string | null {
  return error === null ? null : toJson(error)
}
