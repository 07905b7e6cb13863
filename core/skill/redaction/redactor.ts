import { hidden } from '../../domain/mask.ts'
import { escapedPlaces, unescaped, type Stretch } from './escapes.ts'
import { formsOf } from './secret-forms.ts'
import { SecretIndex } from './secret-index.ts'

/** Shorter values are not secrets but accidents: replacing every `a` would hide the message and no secret. */
const shortestSecret = 4
const maxDepth = 100

/** What a body says about a token that has just been handed out. */
const issuedToken = /"(?:access_token|refresh_token|id_token)"\s*:\s*"([^"\\]{8,8192})"/g

/** Told of a secret in use, as it is: of a connection, of a header made from one, a token handed out. */
export type OnSecret = (secret: string) => void

/** Layers of escapes that are taken off: JSON in JSON in an address is three. */
const maxLayers = 4

/**
 * Knows the live secrets of one call and takes them out of whatever is shown: as they are, and as they look in hex, inside of
 * base64, and escaped for JSON, URLs and HTML. Values are replaced before anything is shortened, so that no half of a secret is left.
 */
export class Redactor {
  readonly #secrets = new Set<string>()
  #index = new SecretIndex()
  /** Another one looks into the same. */
  #isShared = false
  readonly #onSecret: OnSecret | undefined

  /** Characters that may still be looked through. */
  #work: number

  /**
   * @param onSecret is told of every secret, those that become known later too
   * @param maxWork how many characters are looked through until everything is hidden unseen: where strangers choose both the secrets and
   *   the texts. Default: without end.
   */
  constructor(secrets: readonly string[] = [], onSecret?: OnSecret, maxWork = Infinity) {
    this.#onSecret = onSecret
    this.#work = maxWork
    for (const secret of secrets) this.add(secret)
  }

  add(secret: string): void {
    if (secret.length < shortestSecret) return
    this.#onSecret?.(secret)
    if (this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#addForms(secret)
    // An address that is a secret, such as an incoming webhook's, shows up in the form URL parsers give it, and in parts.
    const url = /^https?:/i.test(secret) && URL.canParse(secret) ? new URL(secret) : undefined
    if (url === undefined) return
    this.#addForms(url.href)
    if (url.pathname.length >= 8) this.#addForms(url.pathname)
    for (const value of url.searchParams.values()) if (value.length >= 8) this.#addForms(value)
  }

  /** Another one that knows the same, and learns for itself. */
  copy(): Redactor {
    const copy = new Redactor([], this.#onSecret, this.#work)
    for (const secret of this.#secrets) {
      this.#onSecret?.(secret)
      copy.#secrets.add(secret)
    }
    copy.#index = this.#index
    copy.#isShared = this.#isShared = true
    return copy
  }

  #addForms(secret: string): void {
    if (this.#isShared) this.#index = this.#index.copy()
    this.#isShared = false
    for (const form of formsOf(secret)) this.#index.add(form)
  }

  /** Tokens in an answer are secrets from the moment they arrive. */
  learn(body: string): void {
    for (const [, token] of body.slice(0, 65_536).matchAll(issuedToken))
      if (token !== undefined) this.add(token)
  }

  text(text: string): string {
    this.#work -= text.length
    if (this.#work < 0) return hidden
    if (this.#secrets.size === 0 || text.length < shortestSecret) return text
    const found = this.#find(text, maxLayers)
    if (found === undefined) return hidden
    const pieces: string[] = []
    let at = 0
    for (const { start, end } of found) {
      pieces.push(text.slice(at, start), hidden)
      at = end
    }
    return at === 0 ? text : pieces.join('') + text.slice(at)
  }

  /** Where secrets stand, in order: in the text, and in what it is once its escapes are taken off. */
  #find(text: string, layers: number): readonly Stretch[] | undefined {
    const here = this.#index.find(text)
    const plain = layers === 0 || here === undefined ? undefined : unescaped(text)
    if (plain === undefined) return here
    const inside = this.#find(plain, layers - 1)
    if (inside === undefined) return undefined
    return inside.length === 0 ? here : joined([...here!, ...escapedPlaces(text, inside)])
  }

  /** A copy of JSON-like data with every text redacted, names of fields and numbers too; the value itself where nothing was found. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number' || typeof value === 'bigint') {
      return this.#index.has(String(value)) ? hidden : value
    }
    if (typeof value !== 'object' || value === null || this.#secrets.size === 0) return value
    if (depth > maxDepth) return hidden
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => this.value(item, depth + 1))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    const before = Object.entries(value)
    const after = before.map(([key, inner]) => [this.text(key), this.value(inner, depth + 1)] as const)
    const changed = after.some(
      ([key, inner], index) => key !== before[index]?.[0] || inner !== before[index]?.[1],
    )
    return changed ? Object.fromEntries(after) : value
  }

  /**
   * The error without secrets in its message, stack, hint, details and causes. Errors of ours are changed in place and keep
   * their class; of foreign ones, which may carry anything, only name, code, message and stack are left.
   */
  error(error: unknown, isOurs: (error: Error) => boolean, depth = 0): unknown {
    if (!(error instanceof Error)) return new Error(this.text(String(error)))
    const cause =
      error.cause === undefined || depth > 5 ? undefined : this.error(error.cause, isOurs, depth + 1)
    if (isOurs(error)) {
      for (const key of Object.getOwnPropertyNames(error)) {
        const value = key === 'cause' ? cause : this.value((error as unknown as Record<string, unknown>)[key])
        Object.defineProperty(error, key, {
          value,
          configurable: true,
          writable: true,
          enumerable: key !== 'stack' && key !== 'message' && key !== 'cause',
        })
      }
      return error
    }
    const copy = new Error(this.text(error.message), cause === undefined ? {} : { cause })
    copy.name = error.name
    copy.stack = this.text(error.stack ?? '')
    const { code } = error as { code?: unknown }
    return typeof code === 'string' ? Object.assign(copy, { code: this.text(code) }) : copy
  }
}

/** In order, overlapping ones as one. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = []
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1)
    if (last === undefined || start >= last.end) found.push({ start, end })
    else if (end > last.end) found[found.length - 1] = { start: last.start, end }
  }
  return found
}
