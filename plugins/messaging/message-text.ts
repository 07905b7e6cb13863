const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

// Control characters, and those that hide or reorder the text around them.
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** Words that notify everybody; an invisible word joiner disables them. */
const calls = /@(?=(?:channel|here|everyone)\b)/gi

/** Maximum length of a message. The vendor accepts ten times as much, but advises this. */
export const maxText = 4_000

export interface FittedText {
  readonly text: string
  readonly isCut: boolean
}

/**
 * Escapes untrusted text for a message: no mentions, no masked links, nothing invisible. Text longer than
 * `maxLength` after escaping is cut, with a note.
 * `asWritten` separately disables mark-up such as `*bold*`.
 *
 * @example escapeText('<!channel> & you', 100) // { text: '&lt;!channel&gt; &amp; you', isCut: false }
 */
export function escapeMessage(raw: string, maxLength: number): FittedText {
  return fitText(
    raw,
    withoutInvisible(raw).replaceAll(calls, '@\u2060'),
    maxLength,
    (char) => entities[char] ?? char,
  )
}

/** Like {@link escapeMessage}, but for plain text fields: nothing is escaped. */
export function plainText(raw: string, maxLength: number): FittedText {
  return fitText(raw, withoutInvisible(raw), maxLength, (char) => char)
}

function fitText(
  raw: string,
  plain: string,
  maxLength: number,
  escape: (char: string) => string,
): FittedText {
  const whole = plain.replaceAll(/[&<>]/g, escape)
  if (whole.length <= maxLength) return { text: whole, isCut: false }
  const note = `\n… (cut here; the whole text has ${raw.length} characters)`
  let text = ''
  for (const char of plain) {
    const next = escape(char)
    if (text.length + next.length + note.length > maxLength) break
    text += next
  }
  return { text: text + note, isCut: true }
}

/** A single line for a plain text field, such as a button. Cut with `…` at `maxLength`. */
export function toOneLine(raw: string, maxLength: number): string {
  const line = withoutInvisible(raw).replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`
}

function withoutInvisible(raw: string): string {
  return raw.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(invisible, '')
}

/** Decodes the entities in text that a person wrote. */
export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
