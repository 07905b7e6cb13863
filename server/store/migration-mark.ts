import { ConflictError } from '../../core/errors/errors.ts'

/**
 * Says that a database must not be used: a copy that `tocsin migrate` has not finished, or the original of a finished one. A file beside
 * `tocsin.db`, or a table in PostgreSQL.
 */
export interface MigrationMark {
  readonly state: 'unfinished' | 'moved'
  /** The other database, for people. Without user and password. */
  readonly other: string
  /** Identifies the data that are copied. */
  readonly source: string
  /** Of the schema when the copy began. */
  readonly version: number
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * @param database for people
 * @param undo how to use the original nevertheless: the beginning of a sentence
 */
export function markedError(
  { state, other, at }: MigrationMark,
  database: string,
  undo: string,
): ConflictError {
  if (state === 'unfinished')
    return new ConflictError('migration_unfinished', `${database} is an unfinished copy of ${other}`, {
      hint: 'Run the same `tocsin migrate` again, which continues. Or delete the copy and use the original, which is unchanged.',
      details: { other },
    })
  const when = new Date(at).toISOString()
  return new ConflictError('data_moved', `the data of ${database} was moved to ${other} (${when})`, {
    hint: `Use ${other}. If you must go back to this state, without what has happened since: stop all servers, and ${undo}.`,
    details: { other },
  })
}

export const databaseTooOld = (database: string, version: number, needed: number): ConflictError =>
  new ConflictError('database_too_old', `${database} has version ${version}; a migration needs ${needed}`, {
    hint: 'Start the server once with this version of Tocsin, which upgrades the database, and stop it again.',
  })
