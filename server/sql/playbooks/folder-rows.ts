import { leftOf } from '../../../core/publishing/write-change.ts'
import type {
  LeftFile,
  PreparedChange,
  PublishedBase,
  PublishedSet,
  TakenFolder,
} from '../../../core/ports/playbook-store.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import type { Work } from '../database/work.ts'

/** Content hashes of the published playbooks, by name. */
export function* publishedHashes(database: Database): Work<ReadonlyMap<string, string>> {
  const rows = yield* database.all<{ name: string; hash: string }>(
    `SELECT name, hash FROM playbooks WHERE newest = 1 AND origin = 'file' AND removed_at IS NULL ORDER BY id`,
  )
  return new Map(rows.map(({ name, hash }) => [name, hash]))
}

/** The playbooks folder as it was last taken up. */
export function* takenFolder(database: Database): Work<TakenFolder> {
  const rows = yield* database.all<{ path: string; hash: string }>('SELECT path, hash FROM playbook_files')
  const prepared = yield* preparedText(database)
  return {
    files: new Map(rows.map(({ path, hash }) => [path, hash])),
    prepared: prepared === undefined ? undefined : fromJson<PreparedChange>(prepared),
    left: yield* leftFiles(database),
  }
}

const leftFact = 'left_playbook_files'
const maxLeft = 100

function* leftFiles(database: Database): Work<readonly LeftFile[]> {
  const row = yield* database.get<{ value: string }>('SELECT value FROM facts WHERE name = ?', leftFact)
  return row === undefined ? [] : fromJson<readonly LeftFile[]>(row.value)
}

/** Inside of a write that excludes all others: adds the files of a change that was left behind, and forgets those that are settled. */
export function* keepLeft(
  database: Database,
  change: PreparedChange | undefined,
  settled: PublishedSet['files'],
): Work<void> {
  const before = yield* leftFiles(database)
  const isSettled = (left: LeftFile) =>
    settled.some(({ path, hash }) => hash === left.hash && (hash !== null || path === left.path))
  const left = [...before, ...(change === undefined ? [] : leftOf(change))].filter((each) => !isSettled(each))
  if (left.length + before.length === 0) return
  yield* database.run('DELETE FROM facts WHERE name = ?', leftFact)
  if (left.length > 0)
    yield* database.run(
      'INSERT INTO facts (name, value) VALUES (?, ?)',
      leftFact,
      toJson(left.slice(-maxLeft)),
    )
}

function* preparedText(database: Database): Work<string | undefined> {
  return (yield* database.get<{ change: string }>('SELECT change FROM playbook_changes'))?.change
}

/** Inside of a write that excludes all others: whether `base` is still what is published and prepared. */
export function* isUnchanged(database: Database, base: PublishedBase | undefined): Work<boolean> {
  if (base === undefined) return true
  const expected = base.prepared === undefined ? undefined : toJson(base.prepared)
  if ((yield* preparedText(database)) !== expected) return false
  const published = yield* publishedHashes(database)
  return (
    published.size === base.published.size &&
    [...published].every(([name, hash]) => base.published.get(name) === hash)
  )
}

/** Inside of a write. */
export function* rememberFiles(database: Database, files: PublishedSet['files']): Work<void> {
  for (const { path, hash } of files) {
    if (hash === null) yield* database.run('DELETE FROM playbook_files WHERE path = ?', path)
    else
      yield* database.run(
        'INSERT INTO playbook_files (path, hash) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET hash = excluded.hash',
        path,
        hash,
      )
  }
}

/** Inside of a write. null: no change is prepared. */
export function* keepChange(database: Database, change: PreparedChange | null): Work<void> {
  if (change === null) yield* database.run('DELETE FROM playbook_changes')
  else
    yield* database.run(
      'INSERT INTO playbook_changes (id, change) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET change = excluded.change',
      toJson(change),
    )
}
