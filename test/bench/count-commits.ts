import { Database } from '../../server/sqlite/database/database.ts'

/** Counts the transactions of this process from now on; each is one sync to disk. */
export function countCommits(): () => number {
  let commits = 0
  const run = Database.prototype.run
  Database.prototype.run = function (this: Database, sql, ...values) {
    if (sql === 'COMMIT') commits++
    return run.call(this, sql, ...values)
  }
  return () => commits
}
