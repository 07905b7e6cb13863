/**
 * Characters that are not seen, or that turn the direction of what follows (Unicode UAX 9, UTS 55): an attacker makes text look
 * like other text with them.
 */
const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Text in which such characters stand as `‹U+202E›`; line breaks and tabs stay what they are. */
export function showInvisible(text: string): string {
  return text.replaceAll(hidden, (character) => {
    if (character === '\n' || character === '\t') return character
    if (character === '\r') return ''
    return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`
  })
}
