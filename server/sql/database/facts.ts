import { randomBytes } from 'node:crypto'
import { cursorKeyFact, keyBytes } from './cursor-seal.ts'
import type { Database } from './database.ts'
import type { Work } from './work.ts'

/**
 * Call inside a write: values stored once for the whole database. Bytes are stored as base64, since the column is a text in
 * PostgreSQL; statements read a number with `CAST(value AS bigint)`.
 */
export function* setFact(database: Database, name: string, value: number | Uint8Array): Work<void> {
  yield* database.run(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    typeof value === 'number' ? value : base64Of(value),
  )
}

/**
 * Creates the cursor key at the first start, in a separate write. If several processes start together, one
 * wins.
 */
export function* requireCursorKey(database: Database): Work<void> {
  if ((yield* database.get('SELECT 1 FROM facts WHERE name = ?', cursorKeyFact)) !== undefined) return
  yield* database.run(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING',
    cursorKeyFact,
    base64Of(randomBytes(keyBytes)),
  )
}

const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
