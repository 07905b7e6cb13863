import { codePattern } from '../../core/domain/ids.ts'

/** A pattern of a JSON Schema, and what it asks for: nobody is shown an expression. */
export interface Pattern {
  readonly pattern: string
  /** Follows the name of the field: `must …`. */
  readonly words: string
}

/**
 * What cannot be seen, or changes how the text around it is read: controls, format characters (among them direction overrides
 * and U+FEFF), line and paragraph separators, and code points that are no characters. Lone surrogates get into no body.
 */
const unseen = `\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}${noncharacters()}`

/** The last two of each plane, and a block of 32: as they are, since no notation is common to all dialects of expressions. */
function noncharacters(): string {
  const lastTwo = Array.from({ length: 17 }, (_, plane) => [
    plane * 0x10000 + 0xfffe,
    plane * 0x10000 + 0xffff,
  ])
  return `\ufdd0-\ufdef${String.fromCodePoint(...lastTwo.flat())}`
}

/** Each takes linear time on any text: a body is a megabyte, and all of it is matched. */
export const patterns = {
  alertType: {
    pattern: `^\\p{Zs}*[^${unseen}\\p{Zs}][^${unseen}]*$`,
    words:
      'must have something to see in it, and no line breaks, control characters, or invisible characters that format text or change its direction',
  },
  code: { pattern: codePattern, words: "must be 1 to 32 letters, digits and '_'" },
  connectionName: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$',
    words: "must be 1 to 64 letters, digits, spaces, '.', '_' and '-', beginning with a letter or digit",
  },
  idempotencyKey: {
    pattern: '^[\\x21-\\x7e]*$',
    words: 'must be visible ASCII characters without spaces',
  },
  searchWords: { pattern: '[\\p{L}\\p{N}]', words: 'must have a letter or a digit in it' },
} as const satisfies Readonly<Record<string, Pattern>>

const wordsOf: ReadonlyMap<string, string> = new Map(
  Object.values<Pattern>(patterns).map(({ pattern, words }) => [`must match the pattern ${pattern}`, words]),
)

/** The message of a schema with words in place of a pattern. */
export function inWords(message: string): string {
  return wordsOf.get(message) ?? message
}
