/** Undoes quoted-printable (RFC 2045): `=3D`, and `=` at the end of a line. */
export function decodeQuotedPrintable(text: string, charset: string): string {
  return text
    .replace(/=[ \t]{0,20}\r?\n/g, '')
    .replace(/(?:=[0-9A-F]{2}){1,20000}/gi, (run) =>
      decodeBytes(Buffer.from(run.replaceAll('=', ''), 'hex'), charset),
    )
}

export const decodeBase64 = (text: string, charset: string): string =>
  decodeBytes(Buffer.from(text, 'base64'), charset)

function decodeBytes(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

/** Undoes the encoded words of mail headers (RFC 2047): `=?utf-8?B?…?=`. */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  return text
    .replace(/(\?=)\s{1,10}(?==\?)/g, '$1')
    .replace(
      /=\?([\w-]{1,40})\?([BQ])\?([^?\s]{0,1000})\?=/gi,
      (_, charset: string, how: string, coded: string) =>
        how.toUpperCase() === 'B'
          ? decodeBase64(coded, charset)
          : decodeQuotedPrintable(coded.replaceAll('_', ' '), charset),
    )
}
