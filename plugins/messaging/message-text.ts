const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

// Control characters, and those that hide or reverse what stands beside them: a text shall look like what it says.
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** The words that call everybody; a word joiner, which is not seen, makes them ordinary ones. */
const calls = /@(?=(?:channel|here|everyone)\b)/gi

export interface FittedText {
  readonly text: string
  readonly isCut: boolean
}

/**
 * Text that anybody may have written as it can stand in a message: no mention, no masked link, nothing invisible. What is
 * longer than `maxLength` once escaped is cut, with a note that says so.
 *
 * @example escapeText('<!channel> & you', 100) // { text: '&lt;!channel&gt; &amp; you', isCut: false }
 */
export function escapeText(raw: string, maxLength: number): FittedText {
  const plain = withoutInvisible(raw).replaceAll(calls, '@\u2060')
  const whole = plain.replaceAll(/[&<>]/g, (char) => entities[char] ?? char)
  if (whole.length <= maxLength) return { text: whole, isCut: false }
  const note = `\n… (cut here; the whole text has ${raw.length} characters)`
  let text = ''
  for (const char of plain) {
    const next = entities[char] ?? char
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
