/** Characters of a preview, at most. */
const shownCharacters = 200
/** Characters of a content that are looked at: one that is indented has much blank space between what is shown. */
const readCharacters = 4 * shownCharacters

/** The beginning of an alert's content in one line of 200 characters at most, to recognize it by in a list. */
export function contentPreview(content: string): string {
  const line = content.slice(0, readCharacters).replaceAll(/\s+/g, ' ').trim().slice(0, shownCharacters)
  // The first half of a character that was cut in two.
  return line.replace(/[\uD800-\uDBFF]$/, '')
}
