import type { Work } from '../database/work.ts'
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { maxArrivalMs } from '../../../core/transitions/case-files.ts'
import { opened } from '../context/sealed-values.ts'
import { makeUuid, timeOfUuid } from '../context/uuid.ts'
import type { Database } from '../database/database.ts'

/** Size of one piece, so that a write blocks the event loop for a few milliseconds at most. */
export const pieceBytes = 1_048_576
const [algorithm, nonceBytes, tagBytes] = ['aes-256-gcm', 12, 16] as const

/** The same bytes in pieces of `pieceBytes`; the last one may be smaller. */
export async function* inPieces(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    let rest = chunk
    while (bytes + rest.length >= pieceBytes) {
      const room = pieceBytes - bytes
      yield held.length === 0 ? rest.subarray(0, room) : Buffer.concat([...held, rest.subarray(0, room)])
      rest = rest.subarray(room)
      held = []
      bytes = 0
    }
    if (rest.length > 0) held.push(rest)
    bytes += rest.length
  }
  if (bytes > 0) yield Buffer.concat(held)
}

/** The key of one content, and the name that its pieces are bound to. */
export interface ContentKey {
  readonly uuid: string
  /** Hexadecimal. */
  readonly key: string
}

export interface StoredContent extends ContentKey {
  readonly id: number
  readonly size: number
}

export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await yieldToOthers()
    hash.update(bytes.subarray(at, at + pieceBytes))
  }
  return hash.digest('hex')
}

/**
 * Inside of a write: begins a content. Its key is sealed with the master key, which can then be changed without writing
 * the content again.
 */
export function* beginContent(
  database: Database,
  organization: number,
  { sha256, size, now }: { readonly sha256: string; readonly size: number; readonly now: number },
): Work<StoredContent> {
  const [uuid, key] = [makeUuid(now), randomBytes(32).toString('hex')]
  const id = yield* database.insert(
    `INSERT INTO file_contents (organization_id, uuid, sha256, size, content_key, state) VALUES (?, ?, ?, ?, ?, 'arriving')`,
    organization,
    uuid,
    sha256,
    size,
    database.kept(key, true, `file ${uuid}`),
  )
  return { id, uuid, key, size }
}

/** Inside of a write: counts more bytes of a content that is arriving. */
export function* growContent(database: Database, id: number, bytes: number): Work<void> {
  yield* database.run('UPDATE file_contents SET size = size + ? WHERE id = ?', bytes, id)
}

/** Inside of a write: a content that did not arrive completely counts no more. */
export function* giveUpContent(database: Database, id: number): Work<void> {
  yield* database.run(`UPDATE file_contents SET state = 'deleting' WHERE id = ? AND state = 'arriving'`, id)
}

export const selectContent = `SELECT b.id, b.uuid, b.size, ${opened('b.content_key', `'file ' || b.uuid`)} AS key FROM file_contents b`

/** Inside of a write. */
export function* insertPiece(
  database: Database,
  { id, uuid, key }: StoredContent,
  place: number,
  plain: Uint8Array,
): Work<void> {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, Buffer.from(key, 'hex'), nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(`${uuid} ${place}`))
  const bytes = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  yield* database.insert(
    'INSERT INTO file_pieces (content_id, place, bytes) VALUES (?, ?, ?)',
    id,
    place,
    bytes,
  )
}

/** Undefined: it is deleted. */
export function* readPiece(
  database: Database,
  content: StoredContent,
  place: number,
): Work<Buffer | undefined> {
  const row = yield* database.get<{ readonly bytes: Buffer }>(
    'SELECT bytes FROM file_pieces WHERE content_id = ? AND place = ?',
    content.id,
    place,
  )
  if (row === undefined) return undefined
  const key = Buffer.from(content.key, 'hex')
  const decipher = createDecipheriv(algorithm, key, row.bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(`${content.uuid} ${place}`))
  decipher.setAuthTag(row.bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(row.bytes.subarray(nonceBytes, -tagBytes)), decipher.final()])
}

/** Number of pieces that one write deletes. */
const clearedAtOnce = 4

/**
 * Inside of a write: deletes pieces of contents that no file has, and of those whose arrival was interrupted. Other nodes may be writing
 * contents that began lately.
 *
 * @param arriving contents that this process is writing
 * @returns whether more may be left
 */
export function* clearContents(
  database: Database,
  arriving: ReadonlySet<number>,
  now: number,
): Work<boolean> {
  const oldest = database.hasOneWriter ? Infinity : now - maxArrivalMs
  const unstored = yield* database.all<{
    readonly id: number
    readonly uuid: string
    readonly state: string
  }>(`SELECT id, uuid, state FROM file_contents WHERE state <> 'stored'`)
  const left = unstored.find(
    ({ id, uuid, state }) => state === 'deleting' || (!arriving.has(id) && timeOfUuid(uuid) <= oldest),
  )
  if (left === undefined) return false
  const deleted = yield* database.run(
    'DELETE FROM file_pieces WHERE id IN (SELECT id FROM file_pieces WHERE content_id = ? LIMIT ?)',
    left.id,
    clearedAtOnce,
  )
  if (deleted < clearedAtOnce) yield* database.run('DELETE FROM file_contents WHERE id = ?', left.id)
  return true
}
