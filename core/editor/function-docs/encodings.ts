import type { Row } from './row.ts'

/** Encodings and hashes. */
export const encodings: readonly Row[] = [
  ['json(value) -> string', 'as JSON text', 'json({"a": [1, null]})'],
  ['parseJson(text) -> any', 'from JSON text', 'parseJson("[1]")[0]'],
  ['sha256(text) -> string', 'SHA-256 of the UTF-8 bytes, in hex', 'sha256("abc").substring(0, 16)'],
  ['base64(text) -> string', 'of the UTF-8 bytes', 'base64("héllo")'],
  [
    'base64Decode(text) -> string',
    'the reverse, also of the URL-safe alphabet; an error if the result is not UTF-8',
    'base64Decode("aMOpbGxv")',
  ],
  [
    'text.urlEncode() -> string',
    'percent-encodes everything except letters, digits and `-._~`, for one part of a URL',
    '"a/b c".urlEncode()',
  ],
  ['urlEncode(text) -> string', 'the same', 'urlEncode("a/b c")'],
]
