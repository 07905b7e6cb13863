/** Control characters, and characters that reorder or hide text. */
const unseen = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu

/** One line without control characters and without characters that reorder text. */
export const plainLine = (text: string, max: number): string =>
  text
    .slice(0, 4 * max)
    .toWellFormed()
    .replaceAll(unseen, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
    .slice(0, max)

/** Several lines; control characters other than line breaks and tabs are removed. */
export const plainLines = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(unseen, (found) => (found === '\n' || found === '\t' ? found : ''))

/** A name for a file: no folder, no control characters, nothing that hides its ending. */
export function fileName(given: string | null | undefined, otherwise: string): string {
  const name = plainLine((given ?? '').split(/[/\\]/).at(-1) ?? '', 200).replace(/^\.+/, '')
  return name === '' ? otherwise : name
}
