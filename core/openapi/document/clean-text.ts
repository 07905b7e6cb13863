/**
 * A text of a document in one line for people: without markup, control characters and expressions, cut at the
 * end of a sentence or word.
 */
export function cleanText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined
  // The beginning is enough, also of a text of many megabytes.
  const text = value
    .slice(0, 4000)
    .toWellFormed()
    .replaceAll(/```[^]*?(?:```|$)/g, ' ')
    .replaceAll(/!?\[([^\]\n]{0,200})\]\([^)\s]{0,500}\)/g, '$1')
    .replaceAll(/<[^<>]{0,200}>/g, ' ')
    .replaceAll(/[*`#|]+/g, '')
    .replaceAll('${{', '{{')
    .replaceAll(/[\p{Cc}\p{Cf}\s\u2028\u2029\ufffe\uffff]+/gu, ' ')
    .trim()
  return text === '' ? undefined : shorten(text, maxLength)
}

function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const sentences = /^.*[.!?](?= )/.exec(text.slice(0, maxLength + 1))?.[0]
  if (sentences !== undefined && sentences.length > maxLength / 4) return sentences
  const cut = text.slice(0, maxLength - 1)
  return `${cut
    .slice(0, Math.max(cut.lastIndexOf(' '), maxLength / 2))
    .toWellFormed()
    .trimEnd()}…`
}
