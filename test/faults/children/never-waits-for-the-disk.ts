/**
 * Loaded with `--import`, a planted bug: commits are not synced to disk, as with SQLite's default setting in
 * WAL mode.
 */
import Sqlite from 'better-sqlite3'

const { pragma } = Sqlite.prototype
Sqlite.prototype.pragma = function (this: Sqlite.Database, text: string, options) {
  return pragma.call(this, text.replace('synchronous = FULL', 'synchronous = NORMAL'), options)
}
