import { hash, verify } from '@node-rs/argon2'
import { UnavailableError } from '../../core/errors/errors.ts'

/** Argon2id with the least memory that OWASP ASVS (appendix C) accepts: 19 MiB, two passes. About 30 ms in another thread. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const prefix = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$`

/** Hashes passwords, a few at a time: a flood of sign-ins must not take the threads and the memory of the process. */
export interface Passwords {
  /** Throws UnavailableError `passwords_full`. */
  hash(password: string): Promise<string>
  /**
   * Whether the password has this hash; takes as long without one. Throws UnavailableError `passwords_full`.
   *
   * @param stored null: there is no password
   */
  matches(password: string, stored: string | null): Promise<boolean>
}

const [maxAtOnce, maxWaiting] = [2, 50]

export function createPasswords(): Passwords {
  const waiting: (() => void)[] = []
  let active = 0
  /** Of a password that nobody knows. */
  let nobodys: Promise<string> | undefined

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting.length >= maxWaiting) {
      throw new UnavailableError('passwords_full', 'too many people sign in at the same time', {
        hint: 'try again in a few seconds',
        retryAfterMs: 5_000,
      })
    }
    if (active >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else active++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) active--
      else next()
    }
  }

  return {
    hash: (password) => inTurn(() => hash(normalized(password), parameters)),
    async matches(password, stored) {
      nobodys ??= hash(crypto.randomUUID(), parameters)
      const compared = stored ?? (await nobodys)
      const isSame = await inTurn(() => verify(compared, normalized(password)))
      return isSame && stored !== null
    },
  }
}

/** Keyboards compose accents differently. */
const normalized = (password: string): string => password.normalize('NFKC')

/** Whether the password should be hashed again, with the current parameters. */
export const isOutdated = (stored: string): boolean => !stored.startsWith(prefix)
