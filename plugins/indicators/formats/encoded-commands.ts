/** Longer ones are not decoded: a megabyte is an embedded file. */
const maxEncoded = 200_000
const maxCommands = 50

const base64 = '([A-Za-z0-9+/]{16,}={0,2})'
const quote = `["'\\\\\`]{0,3}`
const patterns = [
  // PowerShell accepts every prefix of `-EncodedCommand`, and `-ec`.
  `(?<![\\w/-])[-/–—](?:ec|e(?:n(?:c(?:o(?:d(?:e(?:d(?:c(?:o(?:m(?:m(?:a(?:n(?:d)?)?)?)?)?)?)?)?)?)?)?)?)?)[\\s:=]{1,8}${quote}${base64}`,
  `(?:FromBase64String|b64decode|base64_decode|atob)[ ]?\\([ ]?b?${quote}${base64}`,
  `(?<![\\w-])echo (?:-n )?${quote}${base64}${quote} ?\\| ?base64 (?:-d|-D|--decode)`,
].map((pattern) => new RegExp(pattern, 'gi'))

export interface DecodedCommands {
  readonly texts: readonly string[]
  /** Set if the text has more commands than are decoded. */
  readonly cut: boolean
}

/**
 * Decodes base64 arguments of shells: `powershell -enc …`, `FromBase64String('…')`, `echo … | base64 -d`.
 * Reads UTF-16 and UTF-8; compressed, encrypted or binary data is left out. Decoded text is not decoded
 * again.
 */
export function decodeCommands(text: string): DecodedCommands {
  const texts: string[] = []
  let cut = false
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) {
      const encoded = match[1] ?? ''
      if (encoded.length > maxEncoded || texts.length >= maxCommands) {
        cut = true
        break
      }
      const decoded = decodeText(Buffer.from(encoded, 'base64'))
      if (decoded !== undefined) texts.push(decoded)
    }
  }
  return { texts, cut }
}

function decodeText(bytes: Buffer): string | undefined {
  let zeros = 0
  for (let index = 1; index < bytes.length; index += 2) if (bytes[index] === 0) zeros += 1
  // In UTF-16, shell commands have zero in mostly every second byte.
  const text = bytes.toString(zeros * 4 > bytes.length / 2 ? 'utf16le' : 'utf8')
  // oxlint-disable-next-line no-control-regex -- binary data is told by them
  const strange = text.match(/[\u0000-\u0008\u000E-\u001F\uFFFD]/g)?.length ?? 0
  return strange * 20 > text.length ? undefined : text
}
