import { SqliteConnection } from '../../server/sqlite/database/connection.ts'

/** Counts the transactions of this process from now on; each is one sync to disk. */
export function countCommits(): () => number {
  let commits = 0
  const run = SqliteConnection.prototype.run
  SqliteConnection.prototype.run = function (this: SqliteConnection, sql, ...values) {
    if (sql === 'COMMIT') commits++
    return run.call(this, sql, ...values)
  }
  return () => commits
}
