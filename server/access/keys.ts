import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { isUsable, isUsableAdmin, type ApiKey } from '../../core/domain/api-key.ts'
import { theServer } from '../../core/domain/audit.ts'
import type { KeyStore, NewApiKey } from '../../core/ports/access/key-store.ts'
import { TocsinError } from '../../core/plugin/index.ts'

/** `toc_<id>_<secret>`: an id of 12 hex digits, a secret of 32 bytes in base64url. */
const keyPattern = /^toc_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/

/** Compared with when there is no such id, so that the answer takes the same time. */
const nobodysHash = randomBytes(32)

export interface MadeKey {
  /** The whole key. Shown once, never stored. */
  readonly value: string
  readonly id: string
  readonly secretHash: Uint8Array
}

/** Makes a new key from 32 random bytes. */
export function makeKey(): MadeKey {
  const value = `toc_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('base64url')}`
  return readKey(value) as MadeKey
}

/** The parts of a key's text; `undefined` when it is not one. */
export function readKey(value: string): MadeKey | undefined {
  const [, id, secret] = keyPattern.exec(value) ?? []
  if (id === undefined || secret === undefined) return undefined
  return { value, id, secretHash: hash('sha256', secret, 'buffer') }
}

/**
 * The stored key that this text is, when it may be used at `now` (epoch milliseconds). Unknown, wrong, expired and revoked
 * keys are told apart by nobody. Each call asks the store, so that a revocation counts at once.
 */
export async function checkKey(
  keys: Pick<KeyStore, 'find'>,
  value: string,
  now: number,
): Promise<ApiKey | undefined> {
  const given = readKey(value)
  if (given === undefined) return undefined
  const stored = await keys.find(given.id)
  const hash = stored?.secretHash ?? nobodysHash
  const matches = hash.length === given.secretHash.length && timingSafeEqual(hash, given.secretHash)
  if (stored === undefined || !matches) return undefined
  return isUsable(stored.key, now) ? stored.key : undefined
}

/**
 * Why a text is not a key that may be used, for administrators alone: whoever sent it is told nothing. `id` is the public part, where the text has
 * the form of a key; `key` the stored one with that id.
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
  const { key, secretHash } = stored
  if (!timingSafeEqual(secretHash, given.secretHash)) return { reason: 'wrong', id, key }
  if (key.revokedAt !== null) return { reason: 'revoked', id, key }
  return { reason: isUsable(key, now) ? 'usable' : 'expired', id, key }
}

/**
 * Sees to it that somebody can manage keys: where no administrator's key for all organizations is usable at `now` (epoch
 * milliseconds), stores the given one, or a new one. Returns the value of a key that was made here, to be shown once;
 * `undefined` when there was nothing to make. A given key that is there already has been revoked or has expired, and stays so.
 *
 * @throws TocsinError `bootstrap_key_invalid`
 */
export async function ensureAdminKey(
  keys: KeyStore,
  given: string | undefined,
  now: number,
): Promise<string | undefined> {
  if ((await keys.list()).some((key) => isUsableAdmin(key, now))) return undefined
  const asked = given === undefined ? makeKey() : readKey(given)
  if (asked === undefined) {
    throw new TocsinError('bootstrap_key_invalid', 'the bootstrap key is not of the form toc_<id>_<secret>', {
      hint: bootstrapKeyHint,
    })
  }
  const key = (await keys.find(asked.id)) === undefined ? asked : makeKey()
  await keys.create({ ...firstKey, id: key.id, secretHash: key.secretHash }, theServer)
  return key.value === given ? undefined : key.value
}

const firstKey: Omit<NewApiKey, 'id' | 'secretHash'> = {
  name: 'bootstrap',
  role: 'admin',
  organizationUuids: null,
  expiresAt: null,
}

export const bootstrapKeyHint =
  'leave it unset and a key is made and shown once, or make one with: ' +
  `node -e "const c=require('node:crypto');console.log('toc_'+c.randomBytes(6).toString('hex')+'_'+c.randomBytes(32).toString('base64url'))"`
