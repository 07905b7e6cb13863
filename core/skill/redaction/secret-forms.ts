import { unescaped } from './escapes.ts'

/** A text that a secret may stand as; of `partial` ones, the characters around it hold the rest. */
export interface SecretForm {
  readonly text: string
  /** In base64: the character before and the one behind may hold some of its bits. */
  readonly partial: boolean
}

/** Shorter forms stand everywhere by accident. */
const minLength = 4
const maxLayers = 4

/** What a secret looks like once escapes are taken off (`escapes.ts`): as it is, in hex, and inside of base64 at any of its three alignments. */
export function formsOf(secret: string): readonly SecretForm[] {
  const escapedJson = JSON.stringify(secret).slice(1, -1)
  const sources = new Set([secret, escapedJson, encodeURIComponent(secret.toWellFormed())])
  const plain = [secret, secret.replaceAll(' ', '+'), ...layersOf(secret)]
  const forms = plain.map((text) => ({ text, partial: false }))
  for (const source of sources) {
    const bytes = Buffer.from(source)
    const hex = bytes.toString('hex')
    forms.push({ text: hex, partial: false }, { text: hex.toUpperCase(), partial: false })
    for (const before of [0, 1, 2]) {
      const text = insideBase64(bytes, before)
      forms.push(
        { text, partial: true },
        { text: text.replaceAll('+', '-').replaceAll('/', '_'), partial: true },
      )
    }
  }
  return forms.filter(({ text }) => text.length >= minLength)
}

/** A secret with something like an escape in it loses that too when the escapes of a text are taken off. */
function layersOf(secret: string): readonly string[] {
  const layers: string[] = []
  for (let at: string | undefined = unescaped(secret); at !== undefined; at = unescaped(at)) {
    if (layers.push(at) === maxLayers) break
  }
  return layers
}

/** The characters of base64 that hold nothing but these bytes, where `before` bytes of a group of three come before them. */
function insideBase64(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replaceAll('=', '')
  const isCut = (before + bytes.length) % 3 !== 0
  return text.slice(before === 0 ? 0 : before + 1, isCut ? -1 : undefined)
}
