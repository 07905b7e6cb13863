import { hash, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

const periodSeconds = 30
/** Accepted deviation of clocks, in periods. */
const window = 1

/** A secret for one-time codes of 160 bits, in base32 (RFC 4226, section 4). */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: 'Tocsin',
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: periodSeconds,
  })

/** The address that authenticator apps read from a QR code. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString()

/**
 * The time step of a one-time code; undefined: wrong.
 *
 * @param now in epoch milliseconds
 */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const delta = totpOf(secret, '').validate({ token, timestamp: now, window })
  return delta === null ? undefined : Math.floor(now / 1_000 / periodSeconds) + delta
}

const codeCount = 10
/** Crockford's alphabet without letters that look like digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Codes of 80 bits that replace a one-time code, each once: `xxxx-xxxx-xxxx-xxxx`. */
export const newRecoveryCodes = (): readonly string[] =>
  Array.from({ length: codeCount }, () =>
    [...randomBytes(16)]
      .map((byte) => alphabet.charAt(byte % alphabet.length))
      .join('')
      .replaceAll(/(.{4})(?=.)/g, '$1-'),
  )

/** The hash of a recovery code in any spelling; undefined for other text. */
export function recoveryCodeHash(code: string): Uint8Array | undefined {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return plain.length === 16 ? hash('sha256', plain, 'buffer') : undefined
}
