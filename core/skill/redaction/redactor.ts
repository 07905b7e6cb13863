import { hidden } from '../../domain/mask.ts'
import { escapedPlaces, unescaped, type Stretch } from './escapes.ts'
import { formsOf } from './secret-forms.ts'
import { SecretIndex } from './secret-index.ts'

/** Shorter values are ignored: replacing every `a` would garble the message. */
const shortestSecret = 4
const maxDepth = 100
/** Largest index, in forms, that is kept extended by a secret: each extension is a copy. */
const maxExtended = 200

/** Finds issued tokens in a body. */
const issuedToken = /"(?:access_token|refresh_token|id_token)"\s*:\s*"([^"\\]{8,8192})"/g

/** Called with every secret in use: of a connection, a header made from one, an issued token. */
export type OnSecret = (secret: string) => void

/** Removed layers of escapes: JSON in JSON in an address has three. */
const maxLayers = 4

/**
 * Redacts the secrets of one call: as they are, in hex, in base64, and escaped for JSON, URLs and HTML. Redacts
 * before texts are truncated, so that no part of a secret remains.
 */
export class Redactor {
  readonly #secrets = new Set<string>()
  #index: SecretIndex
  /** The index is shared with a copy, so it is not changed but extended or copied. */
  #isShared = false
  readonly #onSecret: OnSecret | undefined

  /** Characters that may still be searched. */
  #work: number

  /**
   * @param onSecret called with every secret, including those learned later
   * @param maxWork characters to search before everything is hidden; for secrets and texts that strangers choose.
   * Default: unlimited
   */
  constructor(
    secrets: readonly string[] = [],
    onSecret?: OnSecret,
    maxWork = Infinity,
    index = new SecretIndex(),
  ) {
    this.#index = index
    this.#onSecret = onSecret
    this.#work = maxWork
    for (const secret of secrets) this.add(secret)
  }

  add(secret: string): void {
    if (secret.length < shortestSecret) return
    this.#onSecret?.(secret)
    if (this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    const forms = () => secretTexts(secret).flatMap(formsOf)
    if (this.#isShared && this.#index.size <= maxExtended) {
      this.#index = this.#index.extended(secret, forms)
      return
    }
    if (this.#isShared) this.#index = this.#index.copy()
    this.#isShared = false
    for (const form of forms()) this.#index.add(form)
  }

  /** A copy with the same secrets that learns independently. */
  copy(): Redactor {
    const copy = new Redactor([], this.#onSecret, this.#work, this.#index)
    for (const secret of this.#secrets) {
      this.#onSecret?.(secret)
      copy.#secrets.add(secret)
    }
    copy.#isShared = this.#isShared = true
    return copy
  }

  /** Learns the tokens in an answer. */
  learn(body: string): void {
    if (!body.includes('_token"')) return
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

  /** Places of secrets in the text and in its unescaped forms, in order. */
  #find(text: string, layers: number): readonly Stretch[] | undefined {
    const here = this.#index.find(text)
    const plain = layers === 0 || here === undefined ? undefined : unescaped(text)
    if (plain === undefined) return here
    const inside = this.#find(plain, layers - 1)
    if (inside === undefined) return undefined
    return inside.length === 0 ? here : joined([...here!, ...escapedPlaces(text, inside)])
  }

  /** A copy of JSON-like data with redacted texts, keys and numbers; the value itself if nothing was found. */
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
    return this.#fields(value as Readonly<Record<string, unknown>>, depth)
  }

  #fields(value: Readonly<Record<string, unknown>>, depth: number): unknown {
    const names = Object.keys(value)
    const texts = names.map((name) => this.text(name))
    const inner = names.map((name) => this.value(value[name], depth + 1))
    const isSame = names.every((name, index) => name === texts[index] && value[name] === inner[index])
    return isSame ? value : Object.fromEntries(texts.map((text, index) => [text, inner[index]]))
  }

  /**
   * Redacts message, stack, hint, details and causes of an error. Our errors are changed in place and keep their
   * class; of others only name, code, message and stack are kept.
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

/** Secret addresses, such as of an incoming webhook, also occur as URL parsers write them, and in parts. */
function secretTexts(secret: string): readonly string[] {
  const url = /^https?:/i.test(secret) ? URL.parse(secret) : null
  if (url === null) return [secret]
  const parts = [url.pathname, ...url.searchParams.values()].filter(({ length }) => length >= 8)
  return [secret, url.href, ...parts]
}

/** In order, with overlapping parts merged. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = []
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1)
    if (last === undefined || start >= last.end) found.push({ start, end })
    else if (end > last.end) found[found.length - 1] = { start: last.start, end }
  }
  return found
}
