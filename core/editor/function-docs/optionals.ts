import type { Row } from './row.ts'

/** Functions of optionals. */
export const optionals: readonly Row[] = [
  [
    'optional.orValue(default) -> any',
    'the value, or the default if there is none',
    '{"a": 1}.?a.orValue(0)',
  ],
  [
    'optional.or(optional) -> optional',
    'the first of two that has a value',
    'optional.none().or(optional.of(2)).orValue(0)',
  ],
  ['optional.hasValue() -> bool', 'whether there is a value', 'optional.of(null).hasValue()'],
  ['optional.value() -> any', 'the value; an error if there is none', 'optional.of("a").value()'],
  ['optional.of(value) -> optional', 'an optional with a value', '[?optional.of(1), 2]'],
  [
    'optional.ofNonZeroValue(value) -> optional',
    'nothing for `""`, `0`, `false`, `null`, `[]`, `{}`',
    '{?"a": optional.ofNonZeroValue("")}',
  ],
  ['optional.none() -> optional', 'an optional without a value', 'optional.none().hasValue()'],
]
