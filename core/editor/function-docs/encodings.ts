import type { Row } from './row.ts'

/** Encodings and hashes. */
export const encodingDocs: readonly Row[] = [
  ['json(value) -> string', 'as JSON text', 'json({"a": [1, null]})'],
  ['parseJson(text) -> any', 'from JSON text', 'parseJson("[1]")[0]'],
  [
    'base64.encode(text[, charset]) -> string',
    'base64 of the text in UTF-8, `utf-16le` or `latin1`',
    'base64.encode("héllo")',
  ],
  [
    'base64.decode(text[, charset]) -> string',
    'decodes base64, also in the URL-safe alphabet; an error if the bytes are not text',
    'base64.decode("cwBoAA==", "utf-16le")',
  ],
  ['base64(text) -> string', 'the same as `base64.encode(text)`', 'base64("héllo")'],
  ['base64Decode(text) -> string', 'the same as `base64.decode(text)`', 'base64Decode("aMOpbGxv")'],
  ['hex.encode(text[, charset]) -> string', 'the bytes in hexadecimal digits', 'hex.encode("é")'],
  ['hex.decode(text[, charset]) -> string', 'decodes hexadecimal digits to text', 'hex.decode("c3a9")'],
  [
    'urlEncode(text) -> string',
    'percent-encodes everything except letters, digits and `-._~`, for one part of a URL',
    'urlEncode("a/b c")',
  ],
  ['text.urlEncode() -> string', 'the same as `urlEncode(text)`', '"a/b c".urlEncode()'],
  [
    'urlDecode(text) -> string',
    'undoes percent-encoding; escapes that are not valid UTF-8 stay unchanged',
    'urlDecode("a%2Fb%20c%ff")',
  ],
  ['md5(text) -> string', 'MD5 of the UTF-8 bytes, in hex', 'md5("abc")'],
  ['sha1(text) -> string', 'SHA-1 of the UTF-8 bytes, in hex', 'sha1("abc")'],
  ['sha256(text) -> string', 'SHA-256 of the UTF-8 bytes, in hex', 'sha256("abc").substring(0, 16)'],
  ['sha512(text) -> string', 'SHA-512 of the UTF-8 bytes, in hex', 'sha512("abc").substring(0, 16)'],
  [
    'hmac(text, key[, algorithm]) -> string',
    'HMAC with `sha256` (default), `md5`, `sha1` or `sha512`, in hex',
    'hmac("abc", "key").substring(0, 16)',
  ],
]
