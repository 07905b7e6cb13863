import type { Work } from '../database/work.ts'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Secret } from '../../../core/plugin/index.ts'
import type { SecretBox, SecretPlace } from '../../secrets/secret-box.ts'
import type { Database } from '../database/database.ts'

/** As hard to guess as a key. */
const tokenBytes = 32

interface TokenRow {
  readonly connectionRow: number
  readonly hash: Buffer
  readonly keyVersion: number
  readonly bytes: Buffer
}

const select = `SELECT connection_id AS "connectionRow", hash, key_version AS "keyVersion", sealed AS bytes FROM events_tokens`

type Owner = Pick<SecretPlace, 'organizationUuid' | 'connectionUuid'>

/** Cannot be the name of a plugin's field. */
export const eventsTokenField = '@events_token'

const placeOf = (owner: Owner): SecretPlace => ({ ...owner, field: eventsTokenField })

/** Inside a write. */
export function* makeEventsToken(
  database: Database,
  box: SecretBox,
  row: number,
  owner: Owner,
): Work<Secret> {
  const token = new Secret(randomBytes(tokenBytes).toString('base64url'))
  const { keyVersion, bytes } = box.seal(placeOf(owner), token)
  yield* database.run(
    'INSERT INTO events_tokens (connection_id, hash, key_version, sealed) VALUES (?, ?, ?, ?)',
    row,
    hashOf(token.reveal()),
    keyVersion,
    bytes,
  )
  return token
}

/** Undefined if there is none yet. */
export function* readEventsToken(
  database: Database,
  box: SecretBox,
  row: number,
  owner: Owner,
): Work<Secret | undefined> {
  const found = yield* database.get<TokenRow>(`${select} WHERE connection_id = ?`, row)
  return found && box.open(placeOf(owner), found)
}

/**
 * Row of the connection. The search by a hash of 256 random bits does not reveal a token by its duration; the result is compared
 * again in constant time.
 */
export function* connectionRowOf(database: Database, token: string): Work<number | undefined> {
  const hash = hashOf(token)
  const found = yield* database.get<TokenRow>(`${select} WHERE hash = ?`, hash)
  return found !== undefined && timingSafeEqual(found.hash, hash) ? found.connectionRow : undefined
}

export function* removeEventsToken(database: Database, row: number): Work<void> {
  yield* database.run('DELETE FROM events_tokens WHERE connection_id = ?', row)
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()
