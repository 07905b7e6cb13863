/**
 * Escaped text: JSON and JavaScript (`\/`, `\u002B`, `\x2b`), URLs (`%2B`, `%u002b`), HTML (`&#43;`, `&plus;`).
 * Any character may be escaped in any of these ways. Read character by character, so that a body with ten million
 * escapes takes linear time.
 */

/** A part of a text, from `start` to before `end`. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** The length of an escape, and the code of its character. */
interface Escape {
  length: number
  code: number
}

const mayHoldEscapes = /[\\%&]/

/** Removes one layer of escapes; undefined if there are none. */
export function unescaped(text: string): string | undefined {
  if (!mayHoldEscapes.test(text)) return undefined
  // No escape is shorter than its character.
  const units = new Uint16Array(text.length)
  const escape: Escape = { length: 0, code: 0 }
  let length = 0
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (!readEscape(text, at, code, escape)) {
      units[length++] = code
      at++
      continue
    }
    if (escape.code > 0xff_ff) {
      units[length++] = 0xd8_00 + ((escape.code - 0x1_00_00) >> 10)
      units[length++] = 0xdc_00 + ((escape.code - 0x1_00_00) & 0x3_ff)
    } else units[length++] = escape.code
    at += escape.length
  }
  return length === text.length ? undefined : Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

/**
 * Maps places in the unescaped text back to the text, including whole escapes. Both lists are ordered, without
 * overlap.
 */
export function escapedPlaces(text: string, stretches: readonly Stretch[]): readonly Stretch[] {
  const found: Stretch[] = []
  const escape: Escape = { length: 0, code: 0 }
  let plainAt = 0
  let start: number | undefined
  for (let at = 0; at < text.length && found.length < stretches.length;) {
    const isEscape = readEscape(text, at, text.charCodeAt(at), escape)
    plainAt += isEscape && escape.code > 0xff_ff ? 2 : 1
    const { start: first, end } = stretches[found.length]!
    if (first < plainAt) start ??= at
    at += isEscape ? escape.length : 1
    if (start === undefined || end > plainAt) continue
    found.push({ start, end: at })
    start = undefined
  }
  return found
}

const [backslash, percent, ampersand] = [0x5c, 0x25, 0x26]

function readEscape(text: string, at: number, code: number, escape: Escape): boolean {
  if (code === backslash) return readBackslash(text, at, escape)
  if (code === percent) return readPercent(text, at, escape)
  return code === ampersand && readEntity(text, at, escape)
}

function take(escape: Escape, length: number, code: number): boolean {
  if (code < 0 || code > 0x10_ff_ff) return false
  escape.length = length
  escape.code = code
  return true
}

/** The value of hexadecimal digits; -1 if invalid. */
function hexAt(text: string, at: number, digits: number): number {
  let value = 0
  for (let index = at; index < at + digits; index++) {
    const digit = hexDigit(text.charCodeAt(index))
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Letters after a backslash. */
const control: ReadonlyMap<string, number> = new Map([
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['b', 0x08],
  ['f', 0x0c],
  ['v', 0x0b],
])

function readBackslash(text: string, at: number, escape: Escape): boolean {
  const letter = text[at + 1]
  if (letter === undefined) return false
  if (letter === 'u' && text[at + 2] === '{') {
    const digits = text.slice(at + 3, at + 10).indexOf('}')
    if (digits > 0 && take(escape, digits + 4, hexAt(text, at + 3, digits))) return true
  }
  if (letter === 'u' && take(escape, 6, hexAt(text, at + 2, 4))) return true
  if (letter === 'x' && take(escape, 4, hexAt(text, at + 2, 2))) return true
  return take(escape, 2, control.get(letter) ?? letter.charCodeAt(0))
}

/** UTF-8; an invalid byte is read as Latin-1. */
function readPercent(text: string, at: number, escape: Escape): boolean {
  if (text[at + 1] === 'u' || text[at + 1] === 'U') return take(escape, 6, hexAt(text, at + 2, 4))
  const first = hexAt(text, at + 1, 2)
  const more = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0
  let code = more === 0 ? first : first & (0x3f >> more)
  for (let index = 1; index <= more; index++) {
    const place = at + 3 * index
    const byte = text.charCodeAt(place) === percent ? hexAt(text, place + 1, 2) : -1
    if (byte < 0x80 || byte > 0xbf) return take(escape, 3, first)
    code = code * 64 + (byte & 0x3f)
  }
  return take(escape, 3 + 3 * more, code)
}

const longestEntity = 34

function readEntity(text: string, at: number, escape: Escape): boolean {
  if (text[at + 1] === '#') return readNumber(text, at, escape)
  for (let end = at + 1; end < at + longestEntity; end++) {
    const code = text.charCodeAt(end)
    if (code === 0x3b) return take(escape, end + 1 - at, codeOf(text.slice(at + 1, end)))
    const letter = code | 0x20
    if (!(letter >= 0x61 && letter <= 0x7a) && !(code >= 0x30 && code <= 0x39)) return false
  }
  return false
}

const codeOf = (name: string): number =>
  (entities.get(name) ?? entities.get(name.toLowerCase()))?.charCodeAt(0) ?? -1

/** `&#43;` or `&#x2b;`, with or without the semicolon. */
function readNumber(text: string, at: number, escape: Escape): boolean {
  const isHex = text[at + 2] === 'x' || text[at + 2] === 'X'
  const begin = at + (isHex ? 3 : 2)
  let [end, code] = [begin, 0]
  for (; end < begin + 16; end++) {
    const digit = hexDigit(text.charCodeAt(end))
    if (digit < 0 || (!isHex && digit > 9)) break
    code = code * (isHex ? 16 : 10) + digit
  }
  if (end === begin) return false
  return take(escape, end - at + (text[end] === ';' ? 1 : 0), code)
}

/** Punctuation, and Latin-1 from U+00A0 on in its order. */
const entities: ReadonlyMap<string, string> = new Map([
  ...Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    plus: '+',
    sol: '/',
    equals: '=',
    lowbar: '_',
    UnderBar: '_',
    hyphen: '-',
    dash: '-',
    period: '.',
    comma: ',',
    colon: ':',
    semi: ';',
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    midast: '*',
    quest: '?',
    commat: '@',
    lsqb: '[',
    lbrack: '[',
    bsol: '\\',
    rsqb: ']',
    rbrack: ']',
    Hat: '^',
    grave: '`',
    DiacriticalGrave: '`',
    lcub: '{',
    lbrace: '{',
    verbar: '|',
    vert: '|',
    VerticalLine: '|',
    rcub: '}',
    rbrace: '}',
    Tab: '\t',
    NewLine: '\n',
  }),
  ...(
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
    'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
    'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
    'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
    'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
  )
    .split(' ')
    .map((name, at): [string, string] => [name, String.fromCharCode(0xa0 + at)]),
])
