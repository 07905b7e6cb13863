import { codePattern } from '../../../core/domain/ids.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'

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

/** Keywords of JSON Schema. Each takes linear time on any text: a body is a megabyte, and all of it is matched. */
export const patterns = {
  /** For what stands in one line of a list or a sentence. */
  line: {
    pattern: `^\\p{Zs}*[^${unseen}\\p{Zs}][^${unseen}]*$`,
    patternErrorMessage:
      'must have something to see in it, and no line breaks, control characters, or invisible characters that format text or change its direction',
  },
  /** For text of several lines. */
  text: { pattern: `[^${unseen}\\p{Zs}]`, patternErrorMessage: 'must have something to see in it' },
  code: { pattern: codePattern, patternErrorMessage: "must be 1 to 32 letters, digits and '_'" },
  connectionName: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$',
    patternErrorMessage:
      "must be 1 to 64 letters, digits, spaces, '.', '_' and '-', beginning with a letter or digit",
  },
  idempotencyKey: {
    pattern: '^[\\x21-\\x7e]*$',
    patternErrorMessage: 'must be visible ASCII characters without spaces',
  },
  /** RFC 9110, section 13.1.1. */
  ifMatch: {
    pattern: '^(\\*|(W/)?"[^"]*"([ \\t]*,[ \\t]*(W/)?"[^"]*")*)$',
    patternErrorMessage: 'must be `*`, or one or several ETags in their quotation marks with commas between',
  },
  searchWords: { pattern: '[\\p{L}\\p{N}]', patternErrorMessage: 'must have a letter or a digit in it' },
} as const satisfies Readonly<Record<string, Required<Pick<JsonSchema, 'pattern' | 'patternErrorMessage'>>>>
