/**
 * Characters that are not seen, or that turn the direction of what follows (Unicode UAX 9, UTS 55; those that may be ignored when
 * text is drawn, UAX 44 `Default_Ignorable_Code_Point`; the empty pattern of Braille): an attacker makes text look like other text
 * with them. A carriage return before a line feed is a line break, and U+FE0F behind an emoji only its colours.
 */
const hidden =
  /(?!\t|\n|(?<=\p{Extended_Pictographic})\uFE0F)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

/** Text in which such characters stand as `‹U+202E›`; line breaks and tabs stay what they are. */
export function showInvisible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(
      hidden,
      (character) => `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
    )
}
