import { unescaped } from './escapes.ts'

/** A form in which a secret may occur. */
export interface SecretForm {
  readonly text: string
  /** In base64, whose neighbouring characters may contain some of its bits. */
  readonly partial: boolean
}

/** Shorter forms occur everywhere by chance. */
const minLength = 4
const maxLayers = 4

/** The forms of a secret in unescaped text (`escapes.ts`): plain, hex, and base64 in all three alignments. */
export function formsOf(secret: string): readonly SecretForm[] {
  const plain = [secret, secret.replaceAll(' ', '+'), ...layersOf(secret)]
  const forms = plain.map((text) => ({ text, partial: false }))
  for (const bytes of bytesOf(secret)) {
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

/** The contents of hex and base64: the secret as is, escaped by common serializers, and in UTF-16. */
function bytesOf(secret: string): readonly Buffer[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const percent = encodeURIComponent(secret.toWellFormed())
  const texts = new Set([
    secret,
    percent,
    percent.replace(/%../g, (each) => each.toLowerCase()),
    secret.replace(/[&<>"']/g, (each) => `&${entities[each]};`),
    json,
    // Python, PHP, Go and .NET, in this order.
    inUnicode(json, /[^ -~]/g),
    inUnicode(json.replaceAll('/', '\\/'), /[^ -~]/g),
    inUnicode(json, /[&<>]/g),
    inUnicode(json.replaceAll('\\"', '"'), /["&'+<>`]|[^ -~]/g, true),
  ])
  return [...[...texts].map((text) => Buffer.from(text)), Buffer.from(secret, 'utf16le')]
}

const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": '#39',
}

/** `+` as `\u002b`. */
function inUnicode(text: string, which: RegExp, inCapitals = false): string {
  return text.replace(which, (each) => {
    const hex = each.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${inCapitals ? hex.toUpperCase() : hex}`
  })
}

/** A secret that itself contains escapes changes when a text is unescaped. */
function layersOf(secret: string): readonly string[] {
  const layers: string[] = []
  for (let at: string | undefined = unescaped(secret); at !== undefined; at = unescaped(at)) {
    if (layers.push(at) === maxLayers) break
  }
  return layers
}

/** The base64 characters that depend only on these bytes, after `before` bytes of a group of three. */
function insideBase64(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replaceAll('=', '')
  const isCut = (before + bytes.length) % 3 !== 0
  return text.slice(before === 0 ? 0 : before + 1, isCut ? -1 : undefined)
}
