import type { Database } from './database.ts'

/** Inside of a write: what is kept once for the whole database. */
export function setFact(database: Database, name: string, value: number | Uint8Array): void {
  database.run(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    name,
    value,
  )
}
