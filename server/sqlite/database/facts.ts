import { randomBytes } from 'node:crypto'
import { cursorKeyFact, keyBytes } from './cursor-seal.ts'
import type { Database } from './database.ts'

/** Call inside a write: values stored once for the whole database. */
export function setFact(database: Database, name: string, value: number | Uint8Array): void {
  database.run(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    name,
    value,
  )
}

/**
 * Creates the cursor key at the first start, in a separate write. If several processes start together, one
 * wins.
 */
export function requireCursorKey(database: Database): void {
  if (database.get('SELECT 1 FROM facts WHERE name = ?', cursorKeyFact) !== undefined) return
  database.run(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING',
    cursorKeyFact,
    randomBytes(keyBytes),
  )
}
