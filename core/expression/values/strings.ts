import type { ExpressionProblem } from './errors.ts'

/** The content of a string literal, undefined if invalid, and the offset after it. */
export interface StringLiteral {
  readonly text: string | undefined
  readonly end: number
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
}

const numericEscape = /[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})/y

/** Reads the string literal at `start`, which begins with `prefix` (of r and b) and `quote`. */
export function readString(
  source: string,
  start: number,
  prefix: string,
  quote: string,
  problems: ExpressionProblem[],
): StringLiteral {
  const raw = /r/i.test(prefix)
  const long = quote.length === 3
  let text = ''
  let at = start + prefix.length + quote.length
  let broken = false
  const complain = (message: string, from: number, to: number, hint?: string): void => {
    problems.push({ code: 'syntax', message, hint, start: from, end: to })
    broken = true
  }
  if (/b/i.test(prefix)) {
    complain('bytes are not supported', start, at, 'leave out the b before the quote')
  }
  for (;;) {
    if (source.startsWith(quote, at)) return { text: broken ? undefined : text, end: at + quote.length }
    const character = source.charAt(at)
    if (character === '' || (!long && (character === '\n' || character === '\r'))) {
      complain('the string is not closed', start, at, `add ${quote} at its end`)
      return { text: undefined, end: at }
    }
    if (character === '\\' && !raw) {
      const escape = readEscape(source, at)
      if (escape.text === undefined) complain(escape.message, at, escape.end, escape.hint)
      else text += escape.text
      at = escape.end
    } else {
      text += character
      at++
    }
  }
}

type Escape =
  | { readonly text: string; readonly end: number }
  | {
      readonly text: undefined
      readonly end: number
      readonly message: string
      readonly hint?: string
    }

function readEscape(source: string, start: number): Escape {
  const letter = source.charAt(start + 1)
  const simple = simpleEscapes[letter]
  if (simple !== undefined) return { text: simple, end: start + 2 }
  numericEscape.lastIndex = start + 1
  const found = numericEscape.exec(source)
  if (!found) {
    return {
      text: undefined,
      end: Math.min(source.length, start + 2),
      message: `'\\${letter}' is not an escape sequence`,
      hint: `put an r before the quote, as in r"\\${letter}": backslashes then stay as they are`,
    }
  }
  const end = start + 1 + found[0].length
  const code = found[4] === undefined ? parseInt(found[0].slice(1), 16) : parseInt(found[4], 8)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    return { text: undefined, end, message: `'${source.slice(start, end)}' is not a character` }
  }
  return { text: String.fromCodePoint(code), end }
}
