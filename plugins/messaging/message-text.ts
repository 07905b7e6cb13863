const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

// Control characters, and those that hide or reverse what stands beside them: a text shall look like what it says.
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** The words that call everybody; a word joiner, which is not seen, makes them ordinary ones. */
const calls = /@(?=(?:channel|here|everyone)\b)/gi

/** Of the text of a message. The vendor takes ten times as much, and advises this. */
export const maxText = 4_000

export interface FittedText {
  readonly text: string
  readonly isCut: boolean
}

/**
 * Text that anybody may have written as it can stand in the text of a message: no mention, no masked link, nothing invisible. What is
 * longer than `maxLength` once escaped is cut, with a note that says so. Mark-up such as `*bold*` is switched off beside it, by
 * `asWritten`.
 *
 * @example escapeText('<!channel> & you', 100) // { text: '&lt;!channel&gt; &amp; you', isCut: false }
 */
export function escapeText(raw: string, maxLength: number): FittedText {
  return fitText(
    raw,
    withoutInvisible(raw).replaceAll(calls, '@\u2060'),
    maxLength,
    (char) => entities[char] ?? char,
  )
}

/** The same for a place where no mark-up is read at all, and nothing is escaped. */
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

/** One line for a place where no mark-up is read, such as a button. Cut with `…` at `maxLength`. */
export function oneLine(raw: string, maxLength: number): string {
  const line = withoutInvisible(raw).replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`
}

function withoutInvisible(raw: string): string {
  return raw.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(invisible, '')
}

/** What a person wrote, as they wrote it: the messaging system hands texts out with entities. */
export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
