import type { Stretch } from './escapes.ts'
import type { SecretForm } from './secret-forms.ts'

/** Characters of each form in the lookup table. */
const head = 4
const minTableBits = 12
const maxTableBits = 16
/** Places of the table for each prefix, so that few places are taken. */
const placesPerHead = 16

/** A token and its replacement. */
const maxExtensions = 2

/**
 * Finds many forms in one pass: a table of four-character prefixes selects the forms to compare. Failed
 * comparisons are limited, so the time is linear in the length of the text.
 */
export class SecretIndex {
  #tableBits = minTableBits
  /** Small, because an index that is empty or copied must cost little. */
  #table = new Uint8Array(2 ** minTableBits)
  readonly #byHead = new Map<number, SecretForm[]>()
  readonly #texts = new Set<string>()
  readonly #extensions = new Map<string, SecretIndex>()

  add(form: SecretForm): void {
    if (this.#texts.has(form.text)) return
    this.#texts.add(form.text)
    let hash = 0
    for (let at = 0; at < head; at++) hash = next(hash, form.text.charCodeAt(at))
    this.#table[slot(hash, this.#tableBits)] = 1
    const same = this.#byHead.get(hash)
    if (same !== undefined) return void same.push(form)
    this.#byHead.set(hash, [form])
    if (this.#byHead.size * placesPerHead > this.#table.length) this.#widen()
  }

  #widen(): void {
    if (this.#tableBits === maxTableBits) return
    this.#tableBits += 2
    this.#table = new Uint8Array(2 ** this.#tableBits)
    for (const hash of this.#byHead.keys()) this.#table[slot(hash, this.#tableBits)] = 1
  }

  get size(): number {
    return this.#texts.size
  }

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  /**
   * This index with one more secret, which is not changed again: the credentials of a connection are the same in each
   * of its calls, and their forms cost as much as a call.
   */
  extended(secret: string, forms: () => readonly SecretForm[]): SecretIndex {
    const known = this.#extensions.get(secret)
    if (known !== undefined) return known
    const index = this.copy()
    for (const form of forms()) index.add(form)
    const [oldest] = this.#extensions.keys()
    if (oldest !== undefined && this.#extensions.size === maxExtensions) this.#extensions.delete(oldest)
    this.#extensions.set(secret, index)
    return index
  }

  copy(): SecretIndex {
    const copy = new SecretIndex()
    for (const forms of this.#byHead.values()) for (const form of forms) copy.add(form)
    return copy
  }

  /** In order, without overlap. Undefined: too many comparisons. */
  find(text: string): readonly Stretch[] | undefined {
    const found: { start: number; end: number }[] = []
    const bits = this.#tableBits
    let left = 64 * text.length + 100_000
    let hash = 0
    for (let at = 0; at < text.length; at++) {
      hash = next(hash, text.charCodeAt(at))
      if (at < head - 1 || this.#table[slot(hash, bits)] === 0) continue
      const begin = at - head + 1
      for (const form of this.#byHead.get(hash) ?? []) {
        left -= form.text.length
        if (left < 0) return undefined
        if (text.startsWith(form.text, begin)) note(found, stretchOf(text, form, begin))
      }
    }
    return found
  }
}

const next = (hash: number, code: number): number => (hash << 8) ^ code
const slot = (hash: number, bits: number): number => Math.imul(hash, 0x9e_37_79_b1) >>> (32 - bits)

function stretchOf(text: string, { text: form, partial }: SecretForm, start: number): Stretch {
  const end = start + form.length
  if (!partial) return { start, end }
  const before = start > 0 && isBase64(text, start - 1) ? 1 : 0
  const behind = /[A-Za-z0-9+/_-]?={0,2}/y
  behind.lastIndex = end
  return { start: start - before, end: end + behind.exec(text)![0].length }
}

const isBase64 = (text: string, at: number): boolean => /[A-Za-z0-9+/_-]/.test(text[at]!)

/** Ordered by start, except for the character before. */
function note(found: { start: number; end: number }[], { start, end }: Stretch): void {
  const last = found.at(-1)
  if (last === undefined || start >= last.end) found.push({ start, end })
  else {
    last.start = Math.min(last.start, start)
    last.end = Math.max(last.end, end)
  }
}
