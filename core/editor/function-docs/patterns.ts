import type { Row } from './row.ts'

/** Regular expressions. */
export const patterns: readonly Row[] = [
  [
    'text.matches(pattern) -> bool',
    'the [RE2](https://github.com/google/re2/wiki/Syntax) pattern occurs; `^` and `$` for the whole',
    '"CVE-2026-1".matches("^CVE-[0-9]+")',
  ],
  ['matches(text, pattern) -> bool', 'the same', 'matches("abc", "^b")'],
]
