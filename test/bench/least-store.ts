import Sqlite from 'better-sqlite3'

/**
 * The minimum that stores the same data as Tocsin: one SQLite file with the same durability, one transaction
 * per turn of the event loop, prepared statements, integer keys. No checks, no scopes, no index besides the
 * keys.
 */
export class LeastStore {
  readonly #database: Sqlite.Database
  readonly #statements = new Map<string, Sqlite.Statement>()
  #queue: { readonly work: () => unknown; readonly settle: (result: unknown) => void }[] = []
  #commits = 0

  constructor(path: string) {
    this.#database = new Sqlite(path)
    this.#database.pragma('journal_mode = WAL')
    this.#database.pragma('synchronous = FULL')
    this.#database.exec(`
      CREATE TABLE alerts (id INTEGER PRIMARY KEY, type TEXT, created_at INTEGER, status INTEGER, content TEXT) STRICT;
      CREATE TABLE runs (id INTEGER PRIMARY KEY, alert_id INTEGER, playbook TEXT, status TEXT, created_at INTEGER,
        started_at INTEGER, ended_at INTEGER, case_id INTEGER, output TEXT) STRICT;
      CREATE TABLE journal (id INTEGER PRIMARY KEY, run_id INTEGER, path TEXT, kind TEXT, state TEXT, input TEXT, output TEXT,
        started_at INTEGER, ended_at INTEGER, UNIQUE (run_id, path)) STRICT;
      CREATE TABLE cases (id INTEGER PRIMARY KEY, title TEXT, status TEXT, created_at INTEGER) STRICT;
      CREATE TABLE case_entries (id INTEGER PRIMARY KEY, case_id INTEGER, at INTEGER, kind TEXT, text TEXT) STRICT;
    `)
  }

  get commits(): number {
    return this.#commits
  }

  /** Returns the row's key. */
  run(sql: string, ...values: unknown[]): number {
    let statement = this.#statements.get(sql)
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)))
    return Number(statement.run(...values).lastInsertRowid)
  }

  /** Resolves when it is durable. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve) => {
      this.#queue.push({ work, settle: (result) => resolve(result as T) })
      if (this.#queue.length === 1) setImmediate(() => this.#flush())
    })
  }

  close(): void {
    this.#database.close()
  }

  #flush(): void {
    const group = this.#queue
    this.#queue = []
    this.run('BEGIN IMMEDIATE')
    const results = group.map(({ work }) => work())
    this.run('COMMIT')
    this.#commits++
    for (const [index, { settle }] of group.entries()) settle(results[index])
  }
}
