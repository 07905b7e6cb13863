import { hidden } from '../domain/mask.ts'

/** Shorter values are not secrets but accidents: replacing every `a` would hide the message and no secret. */
const shortestSecret = 4
const maxDepth = 100

/** What a body says about a token that has just been handed out. */
const issuedToken = /"(?:access_token|refresh_token|id_token)"\s*:\s*"([^"\\]{8,8192})"/g

/** Told of a secret in use, as it is: of a connection, of a header made from one, a token handed out. */
export type OnSecret = (secret: string) => void

/**
 * Knows the live secrets of one call and takes them out of whatever is shown: as they are, and as they look in a URL, in JSON
 * and in base64. Values are replaced before anything is shortened, so that no half of a secret is left.
 */
export class Redactor {
  readonly #secrets = new Set<string>()
  readonly #forms = new Set<string>()
  #longestFirst: readonly string[] | undefined
  /** Length of the shortest form: no shorter text can hold one. */
  #shortest = Infinity
  readonly #onSecret: OnSecret | undefined

  /** What may still be looked through. */
  #work: number

  /**
   * @param onSecret is told of every secret, those that become known later too
   * @param maxWork how often a form is looked for in 128 characters or fewer, until everything is hidden unseen: where strangers
   *   choose both the secrets and the texts, there may be thousands of each. Default: without end.
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
    for (const form of this.#forms) copy.#forms.add(form)
    copy.#longestFirst = this.#longestFirst
    copy.#shortest = this.#shortest
    return copy
  }

  #addForms(secret: string): void {
    const bytes = Buffer.from(secret)
    const escaped = JSON.stringify(secret).slice(1, -1)
    const forms = [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      escaped,
      // A body of JSON that quotes another one.
      JSON.stringify(escaped).slice(1, -1),
      bytes.toString('base64'),
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
    ]
    for (const form of forms) {
      this.#forms.add(form)
      this.#shortest = Math.min(this.#shortest, form.length)
    }
    this.#longestFirst = undefined
  }

  /** Tokens in an answer are secrets from the moment they arrive. */
  learn(body: string): void {
    for (const [, token] of body.slice(0, 65_536).matchAll(issuedToken))
      if (token !== undefined) this.add(token)
  }

  text(text: string): string {
    if (text.length < this.#shortest) return text
    this.#work -= this.#forms.size * (1 + (text.length >>> 7))
    if (this.#work < 0) return hidden
    let shown = text
    // Longest first: a secret may be the beginning of another one, or of another form of itself.
    this.#longestFirst ??= [...this.#forms].toSorted((a, b) => b.length - a.length)
    for (const form of this.#longestFirst) if (shown.includes(form)) shown = shown.replaceAll(form, hidden)
    return shown
  }

  /** A copy of JSON-like data with every text redacted, names of fields and numbers too; the value itself where nothing was found. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number' || typeof value === 'bigint') {
      return this.#forms.has(String(value)) ? hidden : value
    }
    if (typeof value !== 'object' || value === null || this.#forms.size === 0) return value
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
