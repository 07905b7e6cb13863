import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { ConnectionError, Secret } from '../../core/plugin/index.ts'
import type { MasterKey } from './master-key.ts'

/** The owner and field of a secret. A secret can be opened only at its place. */
export interface SecretPlace {
  readonly organizationUuid: string
  readonly connectionUuid: string
  readonly field: string
}

export interface SealedSecret {
  readonly keyVersion: number
  /** Nonce (12 bytes), ciphertext, tag (16 bytes). */
  readonly bytes: Uint8Array
}

/** Seals secrets for storage: AES-256-GCM with a random nonce each. */
export interface SecretBox {
  seal(place: SecretPlace, secret: Secret): SealedSecret
  /** Throws ConnectionError `secret_unreadable`. */
  open(place: SecretPlace, sealed: SealedSecret): Secret
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export function createSecretBox(masterKey: MasterKey): SecretBox {
  return {
    seal(place, secret) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, masterKey.key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(associatedData(place, masterKey.version))
      const sealed = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()])
      return { keyVersion: masterKey.version, bytes: Buffer.concat([nonce, sealed, cipher.getAuthTag()]) }
    },
    open(place, sealed) {
      if (sealed.keyVersion !== masterKey.version || sealed.bytes.length < nonceBytes + tagBytes) {
        throw unreadable(place)
      }
      const bytes = Buffer.from(sealed.bytes)
      const nonce = bytes.subarray(0, nonceBytes)
      const decipher = createDecipheriv(algorithm, masterKey.key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(associatedData(place, sealed.keyVersion))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      try {
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
        return new Secret(Buffer.concat([text, decipher.final()]).toString('utf8'))
      } catch {
        throw unreadable(place)
      }
    },
  }
}

/** As a JSON list, so that different places never give the same bytes. */
function associatedData(place: SecretPlace, keyVersion: number): Buffer {
  return Buffer.from(JSON.stringify([place.organizationUuid, place.connectionUuid, place.field, keyVersion]))
}

function unreadable(place: SecretPlace): ConnectionError {
  return new ConnectionError('secret_unreadable', `the stored secret '${place.field}' cannot be decrypted`, {
    hint: 'Enter the secret of this connection again; if all of them fail, check TOCSIN_MASTER_KEY or master.key.',
    details: { connection_uuid: place.connectionUuid, field: place.field },
  })
}
