/**
 * Loaded by mocha before any test (`.mocharc.json`): databases opened in the process of the tests are not
 * synced to disk. Child processes sync every commit, as in production.
 */
import Sqlite from 'better-sqlite3'

let isSynced = false
const { pragma } = Sqlite.prototype
Sqlite.prototype.pragma = function (this: Sqlite.Database, text: string, options) {
  return pragma.call(this, isSynced ? text : text.replace('synchronous = FULL', 'synchronous = OFF'), options)
}

/** Syncs databases to disk, as in production, while `work` runs. */
export function withSyncedDatabases<T>(work: () => T): T {
  isSynced = true
  try {
    return work()
  } finally {
    isSynced = false
  }
}
