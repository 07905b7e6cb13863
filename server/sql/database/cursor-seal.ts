import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { SqlReader, Work } from './work.ts'

/** Position of a row in a sorted list: its sort value (0 if it has none) and its key. */
export interface CursorPlace {
  readonly value: number
  readonly row: number
}

/** Name of the fact that holds the key. */
export const cursorKeyFact = 'cursor_key'
export const keyBytes = 32
const [tagBytes, placeBytes] = [16, 16]

/**
 * Cursors contain row numbers, which count the rows of all organizations: they are encrypted, so that no one
 * learns the activity of others. The key is stored in the database, so cursors stay valid after a restart or
 * restore. Encryption is deterministic, so a repeated read gives the same page (the authentication tag serves
 * as nonce, as in RFC 5297).
 */
export class CursorSeal {
  readonly #database: SqlReader
  #keys: { readonly tag: Uint8Array; readonly cipher: Uint8Array } | undefined

  constructor(database: SqlReader) {
    this.#database = database
  }

  *seal(list: string, { value, row }: CursorPlace): Work<string> {
    const place = Buffer.alloc(placeBytes)
    place.writeBigInt64BE(BigInt(value))
    place.writeBigInt64BE(BigInt(row), 8)
    const tag = yield* this.#tagOf(list, place)
    const cipher = createCipheriv('aes-256-ctr', (yield* this.#read()).cipher, tag)
    return Buffer.concat([tag, cipher.update(place)]).toString('base64url')
  }

  /** Undefined: forged, or of another list. */
  *open(list: string, cursor: string): Work<CursorPlace | undefined> {
    if (cursor.length > 64) return undefined
    const bytes = Buffer.from(cursor, 'base64url')
    if (bytes.length !== tagBytes + placeBytes) return undefined
    const tag = bytes.subarray(0, tagBytes)
    const place = createDecipheriv('aes-256-ctr', (yield* this.#read()).cipher, tag).update(
      bytes.subarray(tagBytes),
    )
    if (!timingSafeEqual(tag, yield* this.#tagOf(list, place))) return undefined
    return { value: Number(place.readBigInt64BE()), row: Number(place.readBigInt64BE(8)) }
  }

  *#tagOf(list: string, place: Uint8Array): Work<Buffer> {
    return createHmac('sha256', (yield* this.#read()).tag)
      .update(`${list}\0`)
      .update(place)
      .digest()
      .subarray(0, tagBytes)
  }

  *#read() {
    this.#keys ??= keysFrom(bytesOfFact(yield* this.#readKey()))
    return this.#keys
  }

  *#readKey(): Work<string | Uint8Array> {
    return (yield* this.#database.one<{ value: string | Uint8Array }>(
      'SELECT value FROM facts WHERE name = ?',
      cursorKeyFact,
    )).value
  }
}

/** Databases of 0.1.0 hold bytes, later ones base64. */
export const bytesOfFact = (value: string | Uint8Array): Buffer =>
  typeof value === 'string' ? Buffer.from(value, 'base64') : Buffer.from(value)

function keysFrom(secret: Uint8Array) {
  const of = (use: string) => new Uint8Array(hkdfSync('sha256', secret, '', use, keyBytes))
  return { tag: of('tag'), cipher: of('cipher') }
}
