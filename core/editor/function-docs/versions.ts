import type { Row } from './row.ts'

/** Versions of software. */
export const versions: readonly Row[] = [
  [
    'version.compareTo(other) -> int',
    '-1, 0 or 1; versions of numbers with dots, a pre-release and a `v`',
    '"10.0.19045".compareTo("10.0.22000")',
  ],
  ['version.isLessThan(other) -> bool', 'the version is lower', '"1.0.0-rc.1".isLessThan("1.0.0")'],
  ['version.isGreaterThan(other) -> bool', 'the version is higher', '"1.10".isGreaterThan("1.9")'],
  ['version.major() -> int', 'the first number', '"1.2.3".major()'],
  ['version.minor() -> int', 'the second number, or 0', '"1.2.3".minor()'],
  ['version.patch() -> int', 'the third number, or 0', '"1.2".patch()'],
  [
    'semver(text[, normalize]) -> string',
    'the text, if it is a [semantic version](https://semver.org); `true` first removes `v` and adds numbers',
    'semver("v1.2", true)',
  ],
  ['isSemver(text[, normalize]) -> bool', 'whether it is one', 'isSemver("1.2")'],
]
