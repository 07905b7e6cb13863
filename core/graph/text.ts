/** Text on one line with a maximum length, without control characters and lone surrogates. */
export function shortenLabel(text: string, maxLength: number): string {
  const line = text
    .slice(0, 4 * maxLength)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : line
}
