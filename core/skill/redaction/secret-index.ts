import type { Stretch } from './escapes.ts'
import type { SecretForm } from './secret-forms.ts'

/** So many characters of each form decide whether it is looked at. */
const head = 4
const tableBits = 16

/**
 * Finds many forms in a text in one pass: four characters at a time are looked up in a table, and only what is found there is compared.
 * What is compared in vain is limited, so that no text takes longer than its length says.
 */
export class SecretIndex {
  readonly #table = new Uint8Array(2 ** tableBits)
  readonly #byHead = new Map<number, SecretForm[]>()
  readonly #texts = new Set<string>()

  add(form: SecretForm): void {
    if (this.#texts.has(form.text)) return
    this.#texts.add(form.text)
    let hash = 0
    for (let at = 0; at < head; at++) hash = next(hash, form.text.charCodeAt(at))
    this.#table[slot(hash)] = 1
    const same = this.#byHead.get(hash)
    if (same === undefined) this.#byHead.set(hash, [form])
    else same.push(form)
  }

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  copy(): SecretIndex {
    const copy = new SecretIndex()
    for (const forms of this.#byHead.values()) for (const form of forms) copy.add(form)
    return copy
  }

  /** In order, without overlap. Undefined: there is too much to compare. */
  find(text: string): readonly Stretch[] | undefined {
    const found: { start: number; end: number }[] = []
    let left = 64 * text.length + 100_000
    let hash = 0
    for (let at = 0; at < text.length; at++) {
      hash = next(hash, text.charCodeAt(at))
      if (at < head - 1 || this.#table[slot(hash)] === 0) continue
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
const slot = (hash: number): number => Math.imul(hash, 0x9e_37_79_b1) >>> (32 - tableBits)

function stretchOf(text: string, { text: form, partial }: SecretForm, start: number): Stretch {
  const end = start + form.length
  if (!partial) return { start, end }
  const before = start > 0 && isBase64(text, start - 1) ? 1 : 0
  const behind = /[A-Za-z0-9+/_-]?={0,2}/y
  behind.lastIndex = end
  return { start: start - before, end: end + behind.exec(text)![0].length }
}

const isBase64 = (text: string, at: number): boolean => /[A-Za-z0-9+/_-]/.test(text[at]!)

/** They begin in order, but for the character before. */
function note(found: { start: number; end: number }[], { start, end }: Stretch): void {
  const last = found.at(-1)
  if (last === undefined || start >= last.end) found.push({ start, end })
  else {
    last.start = Math.min(last.start, start)
    last.end = Math.max(last.end, end)
  }
}
