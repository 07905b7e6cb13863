/**
 * Loaded by mocha before any test (`.mocharc.json`): databases that the tests open in their own process do not wait for the disk.
 * Processes that tests start, and kill, keep every commit as in production.
 */
import Sqlite from 'better-sqlite3'

let isSynced = false
const { pragma } = Sqlite.prototype
Sqlite.prototype.pragma = function (this: Sqlite.Database, text: string, options) {
  return pragma.call(this, isSynced ? text : text.replace('synchronous = FULL', 'synchronous = OFF'), options)
}

/** Opens databases as in production while `work` runs. */
export function withSyncedDatabases<T>(work: () => T): T {
  isSynced = true
  try {
    return work()
  } finally {
    isSynced = false
  }
}
