/** Text on one line, at most so many characters long, without what has no shape on paper: controls, lone surrogates. */
export function shorten(text: string, maxLength: number): string {
  const line = text
    .slice(0, 4 * maxLength)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : line
}
