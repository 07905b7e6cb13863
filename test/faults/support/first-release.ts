import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'

/** The admin key of the 0.1.0 data directory. */
export const adminKey = 'toc_6e66a1f319b2_dGl9Kq45pBn6V-IQGW-f4oYYvv1I6DmSSly_PeMhsBk'

/** A file of the data directory of 0.1.0. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/first-release/${name}`, import.meta.url))

/**
 * Variables that set the clock of a server to the time when the old process stopped, before its questions
 * timed out.
 */
export function clockOfFirstRelease(databasePath: string): Readonly<Record<string, string>> {
  const database = new Sqlite(databasePath, { readonly: true })
  const latest = database.prepare('SELECT max(created_at) FROM runs').pluck().get() as number
  database.close()
  return {
    NODE_OPTIONS: `--import=${new URL('../children/shifted-clock.ts', import.meta.url).href}`,
    TOCSIN_TEST_CLOCK_OFFSET: String(latest + 500 - Date.now()),
  }
}
