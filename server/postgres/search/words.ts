/**
 * The words of a text as SQLite's `unicode61` finds them: runs of letters, digits and characters without a category, folded to lower case,
 * Latin letters without their accent. Code points that a newer Unicode assigned may differ.
 */
export function wordsIn(text: string): string[] {
  return (text.match(word) ?? []).map((each) => (ascii.test(each) ? each.toLowerCase() : folded(each)))
}

/** The combining accents that `unicode61` drops. All other marks end a word. */
const accents = '\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331'
const letter = String.raw`\p{L}\p{N}\p{Co}\p{Cn}`
const word = new RegExp(`[${letter}][${letter}${accents}]*`, 'gu')
const accent = new RegExp(`[${accents}]`, 'gu')
const ascii = /^[0-9A-Za-z]*$/

const folded = (text: string): string => Array.from(text.replaceAll(accent, ''), foldedCharacter).join('')

/** The way through upper case folds variants, such as a final sigma. A dotless i stays. */
function foldedCharacter(character: string): string {
  const upper = character.toUpperCase()
  const isOne = character !== 'ı' && upper.length === character.length
  const lower = (isOne ? upper : character).toLowerCase()
  const single = lower.length === character.length ? lower : character.toLowerCase()
  const [base = '', ...marks] = single.normalize('NFD')
  return marks.length === 1 && base >= 'a' && base <= 'z' ? base : single
}
