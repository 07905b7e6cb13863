import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import QuickLRU from 'quick-lru'
import { isUsable, isUsableAdmin, type ApiKey } from '../../core/domain/api-key.ts'
import { theServer } from '../../core/domain/audit.ts'
import type { KeyStore, NewApiKey, StoredKey } from '../../core/ports/access/key-store.ts'
import { TocsinError } from '../../core/plugin/index.ts'

/** `toc_<id>_<secret>`: an id of 12 hex digits, a secret of 32 bytes in base64url. */
const keyPattern = /^toc_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/

/** Compared when the id is unknown, so that the answer takes the same time. */
const nobodysHash = randomBytes(32)

export interface ApiKeyParts {
  /** The whole key; shown once, never stored. */
  readonly value: string
  readonly id: string
  readonly secretHash: Uint8Array
}

/** @param id of an existing key, to replace its secret */
export function makeKey(id = randomBytes(6).toString('hex')): ApiKeyParts {
  const value = `toc_${id}_${randomBytes(32).toString('base64url')}`
  return readKey(value) as ApiKeyParts
}

/** The parts of a key; undefined for other text. */
export function readKey(value: string): ApiKeyParts | undefined {
  const [, id, secret] = keyPattern.exec(value) ?? []
  if (id === undefined || secret === undefined) return undefined
  return { value, id, secretHash: hash('sha256', secret, 'buffer') }
}

/**
 * Caches recently valid keys, to avoid hashing on each request. Their current validity is still read each
 * time.
 */
const used = new QuickLRU<string, ApiKeyParts>({ maxSize: 1_000 })

/**
 * The stored key of a text, if it is valid at `now` (epoch milliseconds). The result does not tell unknown,
 * wrong, expired and revoked keys apart. Each call reads the store, so that a revocation takes effect at
 * once.
 */
export async function checkKey(
  keys: Pick<KeyStore, 'find'>,
  value: string,
  now: number,
): Promise<ApiKey | undefined> {
  const given = used.get(value) ?? readKey(value)
  if (given === undefined) return undefined
  const stored = await keys.find(given.id)
  if (!hasSecret(stored, given.secretHash, now) || stored === undefined) return undefined
  if (!used.has(value)) used.set(value, given)
  return isUsable(stored.key, now) ? stored.key : undefined
}

/** Compares the current secret, and the one before a rotation while it is accepted. */
function hasSecret(stored: StoredKey | undefined, given: Uint8Array, now: number): boolean {
  const isSame = (hash: Uint8Array): boolean => hash.length === given.length && timingSafeEqual(hash, given)
  const isCurrent = isSame(stored?.secretHash ?? nobodysHash)
  const previous = stored?.previous ?? null
  return isCurrent || (previous !== null && now < previous.until && isSame(previous.secretHash))
}

/**
 * Why a text is not a valid key, for administrators only: never tell the sender. `id` is the public part, if
 * the text has the form of a key; `key` is the stored key with that id.
 */
export async function whyRefused(
  keys: Pick<KeyStore, 'find'>,
  value: string,
  now: number,
): Promise<{ readonly reason: string; readonly id: string; readonly key?: ApiKey }> {
  const given = readKey(value)
  if (given === undefined) return { reason: 'malformed', id: '' }
  const { id } = given
  const stored = await keys.find(id)
  if (stored === undefined) return { reason: 'unknown', id }
  const { key } = stored
  if (!hasSecret(stored, given.secretHash, now)) return { reason: 'wrong', id, key }
  if (key.revokedAt !== null) return { reason: 'revoked', id, key }
  if (key.isOwnerDisabled) return { reason: 'owner_disabled', id, key }
  // A usable key is refused only because of the address.
  return { reason: isUsable(key, now) ? 'address' : 'expired', id, key }
}

/**
 * Ensures that an admin key for all organizations is usable at `now` (epoch milliseconds): if none is, stores
 * the given key or a new one. Returns a new key, to be shown once. A given key that was revoked or has
 * expired stays so.
 *
 * @throws TocsinError `bootstrap_key_invalid`
 */
export async function ensureAdminKey(
  keys: Pick<KeyStore, 'list' | 'find' | 'createFirst'>,
  given: string | undefined,
  now: number,
): Promise<string | undefined> {
  if ((await keys.list()).some((key) => isUsableAdmin(key, now))) return undefined
  const asked = given === undefined ? makeKey() : readKey(given)
  if (asked === undefined) {
    throw new TocsinError(
      'bootstrap_key_invalid',
      'the bootstrap key does not have the form toc_<id>_<secret>',
      {
        hint: bootstrapKeyHint,
      },
    )
  }
  const key = (await keys.find(asked.id)) === undefined ? asked : makeKey()
  const made = await keys.createFirst({ ...firstKey, id: key.id, secretHash: key.secretHash }, theServer)
  return made === undefined || key.value === given ? undefined : key.value
}

const firstKey: Omit<NewApiKey, 'id' | 'secretHash'> = {
  name: 'bootstrap',
  role: 'admin',
  organizationUuids: null,
  expiresAt: null,
}

export const bootstrapKeyHint =
  'leave it unset to have a key created and shown once, or create one with: ' +
  `node -e "const c=require('node:crypto');console.log('toc_'+c.randomBytes(6).toString('hex')+'_'+c.randomBytes(32).toString('base64url'))"`
