import type { Row } from './row.ts'

/** Regular expressions. */
export const patterns: readonly Row[] = [
  [
    'text.matches(pattern) -> bool',
    'the [RE2](https://github.com/google/re2/wiki/Syntax) pattern occurs; `^` and `$` for the whole',
    '"CVE-2026-1".matches("^CVE-[0-9]+")',
  ],
  ['matches(text, pattern) -> bool', 'the same', 'matches("abc", "^b")'],
  [
    'regex.extract(text, pattern) -> optional',
    'the first match, or its group if the pattern has one',
    'regex.extract("user=dana", r"user=(\\w+)").orValue("")',
  ],
  [
    'regex.extractAll(text, pattern) -> list(string)',
    'all matches, or their groups',
    'regex.extractAll("id=7, id=12", r"id=(\\d+)")',
  ],
  [
    'regex.groups(text, pattern) -> optional',
    'the groups of the first match by name, or by number',
    'regex.groups("10.0.0.7:22", r"(?P<ip>[\\d.]+):(\\d+)")',
  ],
  [
    'regex.replace(text, pattern, by[, times]) -> string',
    'replaces every match, or the first few; `\\1` is the first group',
    'regex.replace("a1b2", r"([a-z])(\\d)", r"\\2\\1")',
  ],
]
