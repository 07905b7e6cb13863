import { ConflictError } from '../../core/errors/errors.ts'
import { Secret } from '../../core/plugin/index.ts'
import type { SecretBox, SecretPlace } from './secret-box.ts'

const place: SecretPlace = { organizationUuid: '', connectionUuid: '', field: 'master_key_check' }

/** Name of the fact that holds the seal. */
export const masterKeyFact = 'master_key_check'

/**
 * A known text sealed with the master key, after the version of the key. A store keeps it from its first start on, so that a lost or another
 * key is found before secrets are sealed with it.
 */
export function sealMasterKey(box: SecretBox): Buffer {
  const { keyVersion, bytes } = box.seal(place, new Secret('tocsin'))
  return Buffer.concat([Buffer.from([keyVersion]), bytes])
}

/** The version of the key: 1, and one more for each rotation. */
export const versionOfSeal = (seal: Uint8Array): number => seal[0] ?? 0

/** The version is stored in one byte. */
export const nextKeyVersion = (version: number): number => (version % 255) + 1

/** Throws ConflictError `master_key_mismatch`. @param store names the store in the message */
export function requireSealOf(box: SecretBox, seal: Uint8Array, store: string, hint: string): void {
  try {
    box.open(place, { keyVersion: versionOfSeal(seal), bytes: seal.subarray(1) })
  } catch (cause) {
    throw new ConflictError('master_key_mismatch', `the master key does not open the secrets of ${store}`, {
      hint,
      cause,
    })
  }
}
