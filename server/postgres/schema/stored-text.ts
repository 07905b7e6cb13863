/** Begins what PostgreSQL cannot store: a noncharacter before `0` (U+0000), `1` (itself) or `2` (a sealed value and its place). */
export const storedMark = '\u{FDD0}'

const sealedMark = `${storedMark}2`
// oxlint-disable-next-line no-control-regex -- U+0000 is the subject
const unstorable = new RegExp(`[\\0${storedMark}]`, 'g')
const stored = new RegExp(`${storedMark}([01])`, 'g')

/** Text for a parameter: PostgreSQL cannot store U+0000. Statements that compare texts see the stored form on both sides. */
export function toStored(text: string): string {
  if (!text.includes('\0') && !text.includes(storedMark)) return text
  return text.replaceAll(unstorable, (character) => `${storedMark}${character === '\0' ? 0 : 1}`)
}

/**
 * Text of a result.
 * @param open opens a sealed value, which a statement selected with `open_sealed(value, place)`
 */
export function fromStored(text: string, open: (sealed: string, place: string) => string): string {
  if (!text.includes(storedMark)) return text
  if (!text.startsWith(sealedMark)) return restored(text)
  const end = text.indexOf(sealedMark, sealedMark.length)
  return open(text.slice(end + sealedMark.length), restored(text.slice(sealedMark.length, end)))
}

const restored = (text: string): string =>
  text.replaceAll(stored, (_, kind) => (kind === '0' ? '\0' : storedMark))
