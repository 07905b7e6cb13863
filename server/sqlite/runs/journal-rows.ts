import { setImmediate } from 'node:timers/promises'
import type { Author } from '../../../core/domain/audit.ts'
import type { FailedAttempt, JournalEntry, Resolution, StoredError } from '../../../core/domain/run.ts'
import type { StepMasks } from '../../../core/domain/mask.ts'
import type { Database } from '../database/database.ts'
import { runWithJournal } from './reruns.ts'
import { fromJson } from '../database/columns.ts'
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
  SELECT id, path, step_id AS stepId, kind, state, ${openedInput} AS input, ${outputColumn} AS output, error, attempt, started_at AS startedAt,
    ended_at AS endedAt, resolution, sensitive, (SELECT uuid FROM runs WHERE id = journal.carried_from) AS carriedFrom
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
    ...(resolution === null ? {} : { resolution: toResolution(resolution) }),
    ...(carriedFrom === null ? {} : { carriedFrom }),
    ...(sensitive === null ? {} : { sensitive: fromJson<StepMasks>(sensitive) }),
  }
}

/** Earlier versions kept the name of the API key alone. */
function toResolution(json: string): Resolution {
  const kept = fromJson<Omit<Resolution, 'by'> & { readonly by: Author | string }>(json)
  const by: Author = typeof kept.by === 'string' ? { kind: 'api_key', id: '', name: kept.by } : kept.by
  return { ...kept, by }
}

export function toFailedAttempt(row: FailedAttemptRow): FailedAttempt {
  return { ...row, error: fromJson<StoredError>(row.error) }
}

/** Read at once. */
const entriesAtOnce = 1_000

const selectPiece = `${selectJournal} WHERE run_id = ${runWithJournal} AND id > ? ORDER BY id LIMIT ${entriesAtOnce}`

/** A long journal is read in pieces: others are served in between. */
export async function readJournal(database: Database, runUuid: string): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (let after = 0; ;) {
    const rows = await database.read(() => database.all<EntryRow>(selectPiece, runUuid, after))
    for (const row of rows) entries.push(toEntry(row))
    if (rows.length < entriesAtOnce) break
    after = rows.at(-1)!.id
    await setImmediate()
  }
  if (entries.length < entriesAtOnce) return entries
  // Where it was deleted meanwhile, a part of it would pass for all.
  const run = `SELECT ${runWithJournal} AS id`
  const { id } = await database.read(() => database.one<{ id: number | null }>(run, runUuid))
  return id === null ? [] : entries
}
