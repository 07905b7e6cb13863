import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { syncFile, syncFolderOf } from '../../store/sync-files.ts'
import { markedError, type MigrationMark } from '../../store/migration-mark.ts'

/** Of the file beside a database that holds its `MigrationMark`. */
export const migrationSuffix = '.migration'

/** The mark with what the migration itself needs to continue. */
export interface SqliteMigration extends MigrationMark {
  /** Statements that create the indexes, which come last. */
  readonly indexes?: readonly string[]
}

export function readMigration(path: string): SqliteMigration | undefined {
  try {
    return JSON.parse(readFileSync(path + migrationSuffix, 'utf8')) as SqliteMigration
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Durable when it returns; undefined removes the mark. */
export function writeMigration(path: string, mark: SqliteMigration | undefined): void {
  const file = path + migrationSuffix
  if (mark === undefined) rmSync(file, { force: true })
  else {
    writeFileSync(`${file}.new`, `${JSON.stringify(mark)}\n`, { mode: 0o600 })
    syncFile(`${file}.new`)
    renameSync(`${file}.new`, file)
  }
  syncFolderOf(file)
}

/** Throws ConflictError `migration_unfinished` or `data_moved`. */
export function refuseMarked(path: string): void {
  const mark = readMigration(path)
  if (mark !== undefined) throw markedError(mark, path, `delete ${path}${migrationSuffix}`)
}
