import { codePattern } from '../../../core/domain/ids.ts'
import type { JsonSchema } from '../../../core/plugin/index.ts'

/**
 * Invisible characters, and those that change how text is read: control and format characters (including
 * direction overrides and U+FEFF), line and paragraph separators, and noncharacters. Bodies never contain
 * lone surrogates.
 */
const unseen = `\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}${noncharacters()}`

/**
 * Two per plane and a block of 32, as literal characters, since regular expression dialects share no escape
 * for them.
 */
function noncharacters(): string {
  const lastTwo = Array.from({ length: 17 }, (_, plane) => [
    plane * 0x10000 + 0xfffe,
    plane * 0x10000 + 0xffff,
  ])
  return `\ufdd0-\ufdef${String.fromCodePoint(...lastTwo.flat())}`
}

/** JSON Schema keywords. All patterns take linear time: bodies have up to a megabyte. */
export const patterns = {
  /** For a single line of text. */
  line: {
    pattern: `^\\p{Zs}*[^${unseen}\\p{Zs}][^${unseen}]*$`,
    patternErrorMessage:
      'must contain a visible character, and no line breaks, control characters, or invisible characters that format text or change its direction',
  },
  /** One `@`, with text around it; neither spaces nor invisible characters. */
  email: {
    pattern: `^[^${unseen}\\p{Zs}@]+@[^${unseen}\\p{Zs}@]+$`,
    patternErrorMessage: 'must be an e-mail address',
  },
  /** For text of several lines. */
  text: { pattern: `[^${unseen}\\p{Zs}]`, patternErrorMessage: 'must contain a visible character' },
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
    patternErrorMessage: 'must be `*`, or one or more quoted ETags separated by commas',
  },
  searchWords: { pattern: '[\\p{L}\\p{N}]', patternErrorMessage: 'must contain a letter or a digit' },
} as const satisfies Readonly<Record<string, Required<Pick<JsonSchema, 'pattern' | 'patternErrorMessage'>>>>
