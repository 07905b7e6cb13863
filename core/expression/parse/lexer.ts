import type { ExpressionProblem } from '../values/errors.ts'
import { readString } from '../values/strings.ts'

type TokenKind = 'ident' | 'int' | 'double' | 'string' | 'punctuation' | 'bad' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** The source of the token; for a string or quoted identifier, its content. */
  readonly text: string
  readonly start: number
  readonly end: number
}

const space = /[ \t\r\n\f]+|\/\/[^\n]*/y
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y
const quotedIdentifier = /`([^`\r\n]+)`/y
/** A map key after a dot that is not a name: `@timestamp`, `2fa`. */
const oddField = /(\.\??)([@$#][\w@$#.-]*\w|\d\w*[A-Za-z_]\w*)/y
const numeral = /0[xX][0-9a-fA-F]+|(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+/y
const stringStart = /([rR]?[bB]?|[bB][rR])("""|'''|"|')/y
const punctuation = /==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}]/y
/**
 * Operators of other languages, the hint for each, and the operator assumed instead so that the rest can be
 * checked.
 */
const mistakes: readonly (readonly [pattern: RegExp, hint: string, signs?: readonly string[]])[] = [
  [/===/y, 'use == to compare', ['==']],
  [/!==/y, 'use != to compare', ['!=']],
  [/<>/y, 'use != to compare', ['!=']],
  [/=~/y, 'write text.matches(pattern)'],
  [/[=-]>/y, 'write a comma after the name, as in list.exists(x, x > 1)', [',']],
  [/=/y, 'use == to compare', ['==']],
  [/\?\?/y, 'write a.?b.orValue(…) for a missing value, a == null ? … : a for null'],
  [/\?\.(?=[A-Za-z_])/y, 'write a.?b.orValue(…) for a field that may be missing', ['.', '?']],
  [/&/y, 'use && for "and"', ['&&']],
  [/\|(?=\s*[A-Za-z_]\w*\s*(?:[(|]|$))/y, 'filters are not supported: call a function, as in x.trim()'],
  [/\|/y, 'use || for "or"', ['||']],
  [/~/y, 'write text.matches(pattern)'],
  [/\$\{\{?/y, 'leave out the inner ${{ }}'],
  [/`/y, 'close the name of a field with another backtick: .`name`'],
  [/[“”‘’]/y, 'use plain quotes: \' or "'],
]

/** Splits a source into tokens; the last one is `end`. Invalid parts become `bad` tokens and problems. */
export function tokenize(source: string, problems: ExpressionProblem[]): Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(source)
  }
  const push = (kind: TokenKind, text: string, length: number): void => {
    tokens.push({ kind, text, start: at, end: at + length })
    at += length
  }
  while (at < source.length) {
    const found = match(space)
    if (found) {
      at += found[0].length
      continue
    }
    const opening = match(stringStart)
    if (opening) {
      const string = readString(source, at, opening[1]!, opening[2]!, problems)
      push(string.text === undefined ? 'bad' : 'string', string.text ?? '', string.end - at)
      continue
    }
    const word = match(identifier)
    if (word) {
      push('ident', word[0], word[0].length)
      continue
    }
    const quoted = match(quotedIdentifier)
    if (quoted) {
      // Quoted names are only allowed as fields; the parser checks that.
      push('ident', quoted[1]!, quoted[0].length)
      continue
    }
    const odd = endsValue(tokens.at(-1), at) ? match(oddField) : null
    if (odd) {
      const [, dot = '', name = ''] = odd
      for (const sign of dot) push('punctuation', sign, 1)
      problems.push(noName(name, at))
      push('bad', name, name.length)
      continue
    }
    const digits = match(numeral)
    if (digits) {
      push(number(digits[0], at, source, problems), digits[0], digits[0].length)
      continue
    }
    const mistake = mistakes.find(([pattern]) => match(pattern) && !match(/==(?!=)|!=(?!=)|&&|\|\|/y))
    if (mistake) {
      const text = match(mistake[0])![0]
      problems.push({
        code: 'syntax',
        message: `unexpected '${text}'`,
        hint: mistake[1],
        start: at,
        end: at + text.length,
      })
      const [, , signs] = mistake
      for (const [index, each] of signs?.entries() ?? [])
        push('punctuation', each, index + 1 === signs!.length ? text.length - index : 1)
      if (!signs) push('bad', text, text.length)
      continue
    }
    const sign = match(punctuation)
    if (sign) {
      push('punctuation', sign[0], sign[0].length)
      continue
    }
    const character = String.fromCodePoint(source.codePointAt(at)!)
    problems.push({
      code: 'syntax',
      message: `unexpected '${character}'`,
      start: at,
      end: at + character.length,
    })
    push('bad', character, character.length)
  }
  tokens.push({ kind: 'end', text: '', start: source.length, end: source.length })
  return tokens
}

const endsValue = (token: Token | undefined, at: number): boolean =>
  token?.end === at && (token.kind === 'ident' || token.text === ')' || token.text === ']')

const noName = (name: string, start: number): ExpressionProblem => ({
  code: 'syntax',
  message: `'${name}' is not a valid name after a dot`,
  hint: hintForKey(name),
  start,
  end: start + name.length,
})

/** How to read a key that is not a name. */
export const hintForKey = (key: string): string =>
  `write ["${key}"] instead of .${key}, and "${key}" in … for has(…)`

function number(text: string, start: number, source: string, problems: ExpressionProblem[]): TokenKind {
  const next = source.charAt(start + text.length)
  if (/[uU]/.test(next)) {
    problems.push({
      code: 'not_supported',
      message: `'${text}${next}' is an unsigned integer, which is not supported`,
      hint: `write ${text}`,
      start,
      end: start + text.length + 1,
    })
  } else if (/[A-Za-z_]/.test(next)) {
    problems.push({
      code: 'syntax',
      message: `unexpected '${next}' after the number ${text}`,
      hint: hintForUnit(text, source.slice(start)),
      start: start + text.length,
      end: start + text.length + 1,
    })
  }
  return /^0[xX]/.test(text) || /^\d+$/.test(text) ? 'int' : 'double'
}

/** Elsewhere in a playbook, `5m` is a duration. */
function hintForUnit(text: string, rest: string): string | undefined {
  const written = /^\d+(?:ms|[smh])(?![A-Za-z0-9_])/.exec(rest)?.[0]
  return written !== undefined && written.startsWith(text) ? `write duration("${written}")` : undefined
}
