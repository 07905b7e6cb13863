import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Tokens of the provider that a session needs later. */
export interface ProviderTokens {
  readonly idToken: string
  readonly refreshToken: string | null
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Only the browser has the token of its session, so nobody can use the provider's tokens in a copy of the database. */
const keyOf = (sessionToken: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', sessionToken, '', 'tokens of the identity provider', 32))

export function sealTokens(tokens: ProviderTokens, sessionToken: string): Uint8Array {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, keyOf(sessionToken), nonce, { authTagLength: tagBytes })
  const sealed = Buffer.concat([cipher.update(JSON.stringify(tokens), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()])
}

/** Undefined: sealed with another token, or damaged. */
export function openTokens(sealed: Uint8Array, sessionToken: string): ProviderTokens | undefined {
  const bytes = Buffer.from(sealed)
  if (bytes.length < nonceBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, keyOf(sessionToken), bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
    return JSON.parse(Buffer.concat([text, decipher.final()]).toString('utf8')) as ProviderTokens
  } catch {
    return undefined
  }
}
