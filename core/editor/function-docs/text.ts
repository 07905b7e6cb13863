import type { Row } from './row.ts'

/** Functions of text. */
export const textDocs: readonly Row[] = [
  ['text.contains(part) -> bool', 'the part occurs', '"phishing".contains("fish")'],
  ['text.startsWith(part) -> bool', 'the text starts with the part', '"https://x".startsWith("https:")'],
  ['text.endsWith(part) -> bool', 'the text ends with the part', '"a.exe".endsWith(".exe")'],
  ['text.charAt(index) -> string', 'a character; empty at the end', '"abc".charAt(1)'],
  ['text.indexOf(part[, from]) -> int', 'position of the first occurrence, or -1', '"a.b.c".indexOf(".", 2)'],
  [
    'text.lastIndexOf(part[, from]) -> int',
    'position of the last occurrence, or -1',
    '"a.b.c".lastIndexOf(".")',
  ],
  [
    'text.substring(from[, to]) -> string',
    'the part from `from` up to, but not including, `to`',
    '"abcdef".substring(1, 3)',
  ],
  [
    'text.replace(part, by[, times]) -> string',
    'replaces every occurrence, or the first few',
    '"a-b-c".replace("-", "+", 1)',
  ],
  [
    'text.split(by[, pieces]) -> list(string)',
    'the pieces; with a limit, the last piece is the rest',
    '"a,b,c".split(",", 2)',
  ],
  ['list.join([between]) -> string', 'joins a list of strings', '["a", "b"].join(", ")'],
  ['text.lowerAscii() -> string', 'lower case of A to Z', '"Dana@Example.COM".lowerAscii()'],
  ['text.upperAscii() -> string', 'upper case of a to z', '"high".upperAscii()'],
  ['text.lower() -> string', 'lower case of all letters', '"ÄÖ Dana".lower()'],
  ['text.upper() -> string', 'upper case of all letters', '"äö".upper()'],
  ['text.title() -> string', 'upper case at the start of each word', '"dana o\'neil".title()'],
  [
    'text.shorten(length) -> string',
    'at most this many characters; `…` marks a cut',
    '"suspicious".shorten(5)',
  ],
  ['text.trim() -> string', 'without white space at the ends', '"  a b ".trim()'],
  ['text.reverse() -> string', 'from the last character to the first', '"abc".reverse()'],
  [
    'text.format(list) -> string',
    'fills in `%s %d %f %e %x %X %o %b`, with a precision such as `%.2f`',
    '"%s: %.1f%%".format(["risk", 12.34])',
  ],
  ['strings.quote(text) -> string', 'in quotes, with escapes', 'strings.quote("a\\tb")'],
  [
    'text.padStart(size[, fill]) -> string',
    'padded at the start to this many characters',
    '"7".padStart(3, "0")',
  ],
  ['text.padEnd(size[, fill]) -> string', 'padded at the end to this many characters', '"ab".padEnd(4, ".")'],
  [
    'text.stripHtml() -> string',
    'the text of HTML, without tags, scripts and styles',
    '"<p>Hi <b>Dana</b> &amp; Fox</p>".stripHtml()',
  ],
  ['text.escapeHtml() -> string', 'escapes `<`, `>`, `&` and quotes for HTML', '"<b>".escapeHtml()'],
  [
    'text.unescapeHtml() -> string',
    'replaces HTML escapes by characters, also numbers and common names',
    '"&lt;b&gt; &#8364;".unescapeHtml()',
  ],
  [
    'levenshtein(a, b) -> int',
    'the number of characters to insert, remove or replace',
    'levenshtein("paypal", "paypa1")',
  ],
  [
    'similarity(a, b) -> double',
    'from 0 to 1 (equal): the Levenshtein distance relative to the length',
    'similarity("paypal.com", "paypa1.com")',
  ],
]

/** Regular expressions. */
export const patternDocs: readonly Row[] = [
  [
    'text.matches(pattern) -> bool',
    'the [RE2](https://github.com/google/re2/wiki/Syntax) pattern occurs; use `^` and `$` to match the whole text',
    '"CVE-2026-1".matches("^CVE-[0-9]+")',
  ],
  ['matches(text, pattern) -> bool', 'the same as `text.matches(pattern)`', 'matches("abc", "^b")'],
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
