import type { AstNode } from './ast.ts'
import type { ExpressionProblem, ExpressionProblemCode, Span } from '../values/errors.ts'
import { tokenize, type Token } from './lexer.ts'

export const wordOperators: ReadonlyMap<string, string> = new Map([
  ['and', 'use && for "and"'],
  ['AND', 'use && for "and"'],
  ['or', 'use || for "or"'],
  ['OR', 'use || for "or"'],
  ['is', 'write == null, or != null for "is not null"'],
  ['if', 'write condition ? value : other'],
  ['for', 'write list.map(x, …), or list.filter(x, …)'],
  ['eq', 'use == to compare'],
  ['not', 'use ! for "not", as in !(x in list)'],
  ['contains', 'write text.contains(part), or value in list'],
  ['matches', 'write text.matches(pattern)'],
])

/** The tokens of a source with a position, and the problems found. */
export class TokenStream {
  readonly source: string
  readonly #tokens: readonly Token[]
  readonly #problems: ExpressionProblem[]
  #at = 0

  constructor(source: string, problems: ExpressionProblem[]) {
    this.source = source
    this.#tokens = tokenize(source, problems)
    this.#problems = problems
  }

  get token(): Token {
    return this.#tokens[this.#at]!
  }

  /** The token after the current one. */
  get ahead(): Token {
    return this.#tokens[this.#at + 1] ?? this.token
  }

  get lastEnd(): number {
    return this.#at === 0 ? 0 : this.#tokens[this.#at - 1]!.end
  }

  next(): Token {
    const token = this.token
    if (token.kind !== 'end') this.#at++
    return token
  }

  is(text: string): boolean {
    return this.token.kind === 'punctuation' && this.token.text === text
  }

  accept(text: string): boolean {
    const found = this.is(text)
    if (found) this.#at++
    return found
  }

  expect(text: string): void {
    if (!this.accept(text)) {
      this.unexpected(`'${text}'`)
      this.skipTo(text)
    }
  }

  complain(code: ExpressionProblemCode, message: string, span: Span, hint?: string): void {
    this.#problems.push({ code, message, hint, start: span.start, end: span.end })
  }

  /** Reports an unexpected token, once per place. */
  unexpected(expected: string, otherwise?: string): void {
    const token = this.token
    const known = this.#problems.some(
      (problem) => problem.end > token.start || problem.end === this.source.length,
    )
    if (token.kind === 'bad' || known) return
    const found =
      token.kind === 'end' ? 'the expression ends' : `found '${this.source.slice(token.start, token.end)}'`
    const before = this.#tokens[this.#at - 1]
    const isPrefixed = token.kind === 'string' && before?.kind === 'ident' && before.end === token.start
    const word = token.kind === 'ident' ? wordOperators.get(token.text) : undefined
    const hint = otherwise ?? (isPrefixed ? 'join strings with +, as in "id " + x' : word)
    this.complain('syntax', `${found} where ${expected} is expected`, token, hint)
  }

  /** Skips past the next `text` outside of inner brackets; stops before an enclosing closing bracket. */
  skipTo(text: string): void {
    let depth = 0
    while (this.token.kind !== 'end') {
      const sign = this.token.kind === 'punctuation' ? this.token.text : ''
      if (depth === 0 && sign === text) {
        this.#at++
        return
      }
      if ('([{'.includes(sign) && sign !== '') depth++
      else if (')]}'.includes(sign) && sign !== '' && --depth < 0) return
      this.#at++
    }
  }

  /** Takes a number, with the sign before it. */
  numeral(sign: '' | '-', start: number): AstNode {
    const token = this.next()
    const span = { start, end: token.end }
    if (token.kind === 'double') return { kind: 'literal', value: Number(sign + token.text), ...span }
    const size = BigInt(token.text)
    const value = sign === '-' ? -size : size
    if (BigInt.asIntN(64, value) === value) return { kind: 'literal', value, ...span }
    this.complain(
      'invalid_literal',
      `${sign}${token.text} does not fit into 64 bits`,
      span,
      `write ${token.text}.0`,
    )
    return { kind: 'bad', ...span }
  }
}
