import { readFileSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'

interface Frame {
  readonly page: number
  readonly isCommit: boolean
}

const headerBytes = 32
const frameHeaderBytes = 24

/** The frames of a write-ahead log (https://sqlite.org/fileformat2.html#walformat) since its last reset. */
export function readWal(path: string): readonly Frame[] {
  const bytes = readFileSync(path)
  const salts = bytes.subarray(16, 24)
  const frameBytes = frameHeaderBytes + bytes.readUInt32BE(8)
  const frames: Frame[] = []
  for (let at = headerBytes; at + frameBytes <= bytes.length; at += frameBytes) {
    if (!bytes.subarray(at + 8, at + 16).equals(salts)) break
    frames.push({ page: bytes.readUInt32BE(at), isCommit: bytes.readUInt32BE(at + 4) !== 0 })
  }
  return frames
}

/** Pages of each table and index written to the log, and copied from it to the database. */
export type WalPages = ReadonlyMap<string, { readonly log: number; readonly database: number }>

/** SQLite copies the log into the database when it has this many pages. */
const checkpointPages = 1_000

export function walPages(frames: readonly Frame[], database: Sqlite.Database): WalPages {
  const names = new Map(
    (database.prepare('SELECT pageno, name FROM dbstat').all() as { pageno: number; name: string }[]).map(
      ({ pageno, name }) => [pageno, name],
    ),
  )
  const pages = new Map<string, { log: number; database: number }>()
  const count = (page: number, where: 'log' | 'database', share = 1): void => {
    const name = page === 1 ? 'header' : (names.get(page) ?? 'free')
    const part = pages.get(name) ?? { log: 0, database: 0 }
    part[where] += share
    pages.set(name, part)
  }
  let dirty = new Set<number>()
  let logged = 0
  for (const { page, isCommit } of frames) {
    count(page, 'log')
    dirty.add(page)
    logged++
    if (!isCommit || logged < checkpointPages) continue
    for (const copied of dirty) count(copied, 'database')
    dirty = new Set()
    logged = 0
  }
  // The share of a checkpoint that is not due yet.
  for (const copied of dirty) count(copied, 'database', logged / checkpointPages)
  return pages
}
