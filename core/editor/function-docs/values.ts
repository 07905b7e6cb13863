import type { Row } from './row.ts'

/** Functions of any value. */
export const valueDocs: readonly Row[] = [
  ['size(value) -> int', 'characters of text, elements of a list, entries of a map', 'size("abc")'],
  ['value.size() -> int', 'the same as `size(value)`', '[1, 2].size()'],
  [
    'type(value) -> type',
    '`null_type bool int double string list map type optional_type` or a time',
    'type("a") == string',
  ],
  ['dyn(value) -> any', 'the value, without its static type', 'dyn(1) == dyn("1")'],
  [
    'int(value) -> int',
    'from a number (truncated), string, timestamp (seconds since 1970) or duration (seconds)',
    'int("42") + int(1.9)',
  ],
  ['double(value) -> double', 'from a number or text', 'double("1.5")'],
  ['string(value) -> string', 'from a number, bool, timestamp or duration', 'string(1.0)'],
  ['bool(text) -> bool', 'from `true`, `false`, `1`, `0`, `t`, `f`', 'bool("true")'],
]

/** Functions of optionals. */
export const optionalDocs: readonly Row[] = [
  [
    'optional.orValue(default) -> any',
    'the value, or the default if there is none',
    '{"a": 1}.?a.orValue(0)',
  ],
  [
    'optional.or(optional) -> optional',
    'the first of two optionals that has a value',
    'optional.none().or(optional.of(2)).orValue(0)',
  ],
  ['optional.hasValue() -> bool', 'whether there is a value', 'optional.of(null).hasValue()'],
  ['optional.value() -> any', 'the value; an error if there is none', 'optional.of("a").value()'],
  ['optional.of(value) -> optional', 'an optional with a value', '[?optional.of(1), 2]'],
  [
    'optional.ofNonZeroValue(value) -> optional',
    'an optional with the value; without a value for `""`, `0`, `false`, `null`, `[]`, `{}`',
    '{?"a": optional.ofNonZeroValue("")}',
  ],
  ['optional.none() -> optional', 'an optional without a value', 'optional.none().hasValue()'],
]
