import { ValidationError } from '../errors/errors.ts'
import { emailKey } from './account.ts'

const passwordBounds = { min: 12, max: 256 } as const

/** Beginnings and words that make a password guessable. */
const commonWords = [
  'password',
  'passwort',
  'qwerty',
  'qwertz',
  'letmein',
  'welcome',
  'changeme',
  'administrator',
  'tocsin',
  'iloveyou',
  'football',
  'monkey',
  'dragon',
]

/** Left of a password once common words, the person's own names, digits and symbols are removed. */
const minLeft = 4

/**
 * Refuses passwords that are short, or little more than a common word, the person's own name or a repetition. Any characters
 * count, and no composition is required (OWASP ASVS 6.2).
 *
 * @param pointer of the field in the request
 * @throws ValidationError `password_weak`
 */
export function requireGoodPassword(
  password: string,
  { email, name }: { readonly email: string; readonly name: string },
  pointer = '/password',
): void {
  const { length } = password
  const say = (message: string, hint?: string): never => {
    throw new ValidationError('password_weak', `the password ${message}`, [{ pointer, message }], {
      hint: hint ?? 'use a password manager, or several words that nobody would guess together',
    })
  }
  if (length < passwordBounds.min) say(`must have at least ${passwordBounds.min} characters`)
  if (length > passwordBounds.max) say(`must have at most ${passwordBounds.max} characters`)
  const own = [...emailKey(email).split(/[@.]/), ...emailKey(name).split(/\s+/)].filter(
    (word) => word.length > 2,
  )
  let left = password.toLowerCase()
  for (const word of [...commonWords, ...own]) left = left.replaceAll(word, '')
  if (left !== password.toLowerCase() && left.replaceAll(/[\p{N}\p{P}\p{S}\s]/gu, '').length < minLeft)
    say('is little more than a common word, your name or your address')
  if (new Set(password).size < 5) say('repeats a few characters')
}
