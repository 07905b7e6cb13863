/** A button that opens an address. */
export interface CardLink {
  readonly title: string
  readonly url: string
}

/** The vendor accepts about 28 KB for a message with its card. */
const maxBytes = 16_000

/** A message with a card. `title` and `text` may come from an attacker: a run of text has no mark-up and no mentions. */
export function cardMessage(text: string, title?: string, links: readonly CardLink[] = [], note?: string) {
  const heading =
    title === undefined ? [] : [paragraph(oneLine(title, 200), { weight: 'Bolder', size: 'Medium' })]
  const body = [
    ...heading,
    ...fitted(text)
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => paragraph(line)),
    ...(note === undefined ? [] : [paragraph(note, { isSubtle: true, size: 'Small' })]),
  ]
  const actions = links.map(({ title: label, url }) => ({
    type: 'Action.OpenUrl',
    title: oneLine(label, 100),
    url,
  }))
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body,
    ...(actions.length > 0 && { actions }),
  }
  return {
    type: 'message',
    summary: oneLine(title ?? text, 200),
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  }
}

/** TextRun, unlike TextBlock, shows Markdown as it is written. */
const paragraph = (text: string, style: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
})

// Control characters, and those that hide or reorder the text around them.
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

const visible = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replaceAll(hidden, '')

const oneLine = (text: string, max: number): string => {
  const line = visible(text).replaceAll(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`
}

function fitted(raw: string): string {
  const text = visible(raw)
  if (jsonBytes(text) <= maxBytes) return text
  let [from, to] = [0, text.length]
  while (from < to) {
    const middle = Math.ceil((from + to) / 2)
    if (jsonBytes(text.slice(0, middle)) <= maxBytes) from = middle
    else to = middle - 1
  }
  return `${text.slice(0, from).toWellFormed()}\n… (cut here; the whole text has ${raw.length} characters)`
}

/** Each line also costs its paragraph. */
const jsonBytes = (text: string): number =>
  Buffer.byteLength(JSON.stringify(text)) + 80 * text.split('\n').length
