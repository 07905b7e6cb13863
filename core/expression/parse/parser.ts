import {
  argumentsOf,
  macroNode,
  type AstNode,
  type BinaryOperator,
  type MapLiteral,
  type SelectNode,
} from './ast.ts'
import { maxNesting } from '../values/budget.ts'
import type { ExpressionProblem, Span } from '../values/errors.ts'
import type { Token } from './lexer.ts'
import { shorten } from '../values/time.ts'
import { TokenStream, wordOperators } from './token-stream.ts'
import { keywords, reserved, isNamespaced, macros, literals, isOneOf, isComparison } from './words.ts'

/** Ends parsing after a problem that has been recorded. */
class GiveUp extends Error {}

/** Parses a source. Invalid parts become `bad` nodes with problems, so that the rest can be checked. */
export function parse(source: string, problems: ExpressionProblem[]): AstNode {
  const parser = new Parser(source, problems)
  try {
    return parser.whole()
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'bad', start: 0, end: source.length }
    throw error
  }
}

class Parser extends TokenStream {
  #nesting = 0

  whole(): AstNode {
    if (this.token.kind === 'end') {
      this.complain('syntax', 'the expression is empty', { start: 0, end: this.source.length })
      return this.#bad(0)
    }
    const node = this.#expression()
    // TypeScript does not know that the getter's value changed.
    if ((this.token.kind as string) !== 'end') this.unexpected('the end of the expression')
    return node
  }

  #bad(start: number): AstNode {
    return { kind: 'bad', start, end: Math.max(start, this.lastEnd) }
  }

  #expression(): AstNode {
    if (++this.#nesting > maxNesting) {
      this.complain('too_deep', `the expression is nested deeper than ${maxNesting} levels`, this.token)
      throw new GiveUp()
    }
    const { start } = this.token
    const condition = this.#logic('||')
    let node = condition
    if (this.accept('?')) {
      const whenTrue = this.#logic('||')
      this.expect(':')
      const whenFalse = this.#expression()
      node = { kind: 'ternary', condition, whenTrue, whenFalse, start, end: this.lastEnd }
    }
    this.#nesting--
    return node
  }

  #logic(operator: '&&' | '||'): AstNode {
    const { start } = this.token
    const term = (): AstNode => (operator === '||' ? this.#logic('&&') : this.#comparison())
    const first = term()
    if (!this.is(operator)) return first
    const terms = [first]
    while (this.accept(operator)) terms.push(term())
    return { kind: 'logic', operator, terms, start, end: this.lastEnd }
  }

  #comparison(): AstNode {
    return this.#chain(isComparison, () =>
      this.#chain(isOneOf('+', '-'), () => this.#chain(isOneOf('*', '/', '%'), () => this.#unary())),
    )
  }

  #chain(isOperator: (token: Token) => boolean, operand: () => AstNode): AstNode {
    const { start } = this.token
    let left = operand()
    while (isOperator(this.token)) {
      const operator = this.next().text as BinaryOperator
      const right = operand()
      left = { kind: 'binary', operator, left, right, start, end: this.lastEnd }
    }
    return left
  }

  #unary(): AstNode {
    const { start } = this.token
    if (this.is('-') && ['int', 'double'].includes(this.ahead.kind)) {
      this.next()
      return this.#member(start, this.numeral('-', start))
    }
    const operators: Token[] = []
    while (this.is('!') || this.is('-')) operators.push(this.next())
    let node = this.#member(this.token.start, this.#primary())
    for (const { text, start: from } of operators.toReversed()) {
      node = { kind: 'unary', operator: text as '!' | '-', operand: node, start: from, end: this.lastEnd }
    }
    return node
  }

  #member(start: number, primary: AstNode): AstNode {
    let node = primary
    for (;;) {
      if (this.accept('.')) node = this.#selection(start, node)
      else if (this.accept('[')) {
        const optional = this.accept('?')
        const index = this.#expression()
        this.expect(']')
        node = { kind: 'index', operand: node, index, optional, start, end: this.lastEnd }
      } else if (this.is('{') && (node.kind === 'ident' || node.kind === 'select')) {
        const brace = this.token
        this.complain('not_supported', 'messages are not supported', brace, 'write a map: {"name": value}')
        this.next()
        this.skipTo('}')
        return this.#bad(start)
      } else return node
    }
  }

  #selection(start: number, operand: AstNode): AstNode {
    const optional = this.accept('?')
    const name = this.token
    if (name.kind !== 'ident' || keywords.includes(name.text)) {
      const hint = name.kind === 'ident' ? `write ["${name.text}"] instead of .${name.text}` : undefined
      this.unexpected('the name of a field', hint)
      // Already reported; parsing continues after it.
      if (name.kind === 'bad') this.next()
      return this.#bad(start)
    }
    this.next()
    const nameSpan = { start: name.start, end: name.end }
    if (optional || !this.is('(')) {
      const field = name.text
      return { kind: 'select', operand, field, optional, fieldSpan: nameSpan, start, end: this.lastEnd }
    }
    this.next()
    const args = this.#args()
    const end = this.lastEnd
    if (operand.kind === 'ident' && isNamespaced(operand.name, name.text)) {
      const full = `${operand.name}.${name.text}`
      if (full === 'cel.bind') return this.#bind(args, { start, end })
      const span = { nameSpan: { start, end: name.end }, start, end }
      return { kind: 'call', name: full, target: undefined, args: argumentsOf(full, args), ...span }
    }
    if (macros.get(name.text)?.counts.includes(args.length) === true)
      return this.#macro(operand, name, args, { start, end })
    return { kind: 'call', name: name.text, target: operand, args, nameSpan, start, end }
  }

  #args(): AstNode[] {
    const args: AstNode[] = []
    if (this.accept(')')) return args
    do args.push(this.#expression())
    while (this.accept(','))
    this.expect(')')
    return args
  }

  #macro(operand: AstNode, name: Token, args: readonly AstNode[], span: Span): AstNode {
    const hasTwo = args.length >= macros.get(name.text)!.twoFrom
    const names = args.slice(0, hasTwo ? 2 : 1).map((node) => this.#variable(node, `${name.text}()`, hasTwo))
    const [variable, second] = names
    const body = args[args.length - 1]!
    const isSame = variable !== undefined && variable === second
    if (isSame) this.complain('syntax', `${name.text}() needs two different names`, args[1]!)
    if (names.includes(undefined) || variable === undefined || isSame)
      return { kind: 'bad', start: span.start, end: span.end }
    const filter = args.length - names.length === 2 ? args.at(-2) : undefined
    const nameSpan = { start: name.start, end: name.end }
    return macroNode(name.text, { operand, variable, second, filter, body, nameSpan, ...span })
  }

  #bind(args: readonly AstNode[], span: Span): AstNode {
    if (args.length !== 3) {
      this.complain('wrong_arguments', 'cel.bind takes a name, its value and an expression', span)
      return { kind: 'bad', start: span.start, end: span.end }
    }
    const variable = this.#variable(args[0]!, 'cel.bind()')
    if (variable === undefined) return { kind: 'bad', start: span.start, end: span.end }
    return { kind: 'bind', variable, value: args[1]!, body: args[2]!, start: span.start, end: span.end }
  }

  #variable(node: AstNode, of: string, isOneOfTwo = false): string | undefined {
    if (node.kind === 'ident' && this.source.charAt(node.start) !== '.') return node.name
    if (node.kind === 'bad') return undefined
    const which = isOneOfTwo ? `the first two arguments of ${of} must be simple names` : undefined
    this.complain('syntax', which ?? `the first argument of ${of} must be a simple name`, node)
    return undefined
  }

  #primary(): AstNode {
    const token = this.token
    if (token.kind === 'int' || token.kind === 'double') return this.numeral('', token.start)
    if (token.kind === 'ident') return this.#identifier(token)
    if (token.kind === 'string' || token.kind === 'bad') {
      this.next()
      if (token.kind === 'bad') return this.#bad(token.start)
      return { kind: 'literal', value: token.text, start: token.start, end: token.end }
    }
    if (this.accept('(')) return this.#parenthesis()
    if (this.accept('[')) return this.#list(token.start)
    if (this.accept('{')) return this.#map(token.start)
    if (this.is('.') && this.ahead.kind === 'ident') {
      this.next()
      return this.#identifier(this.token, token.start)
    }
    this.unexpected('a value')
    return this.#bad(token.start)
  }

  #parenthesis(): AstNode {
    const node = this.#expression()
    this.expect(')')
    return node
  }

  #identifier(token: Token, start = token.start): AstNode {
    this.next()
    const span = { start, end: token.end }
    const literal = literals.get(token.text)
    if (literal !== undefined) return { kind: 'literal', value: literal, ...span }
    if (this.source.charAt(token.start) === '`') {
      this.complain('syntax', 'a name in backticks can only be a field', span)
      return { kind: 'bad', ...span }
    }
    if (this.accept('(')) return this.#call(token, this.#args(), start)
    if (
      token.text === 'not' &&
      ['ident', 'string', 'int'].includes(this.token.kind) &&
      this.token.text !== 'in'
    ) {
      this.complain('syntax', "'not' is not an operator", span, 'use ! for "not", as in !(x in list)')
      return this.#unary()
    }
    if (token.text === 'in' || reserved.has(token.text)) {
      this.complain('syntax', `'${token.text}' is a reserved word`, span, wordOperators.get(token.text))
      return { kind: 'bad', ...span }
    }
    return { kind: 'ident', name: token.text, ...span }
  }

  #call(name: Token, args: readonly AstNode[], start: number): AstNode {
    const span = { start, end: this.lastEnd }
    if (name.text !== 'has') {
      const nameSpan = { start: name.start, end: name.end }
      return { kind: 'call', name: name.text, target: undefined, args, nameSpan, ...span }
    }
    const field = args[0]
    if (args.length === 1 && field?.kind === 'select')
      return { kind: 'has', field: field satisfies SelectNode, ...span }
    if (field?.kind !== 'bad') {
      const hint =
        field?.kind === 'index'
          ? `write ${this.#text(field.index)} in ${this.#text(field.operand)}`
          : undefined
      this.complain('wrong_arguments', 'has() takes one field, such as has(alert.data.user)', span, hint)
    }
    return { kind: 'bad', ...span }
  }

  #text({ start, end }: Span): string {
    return shorten(this.source.slice(start, end))
  }

  #list(start: number): AstNode {
    const elements: { value: AstNode; optional: boolean }[] = []
    while (!this.is(']') && this.token.kind !== 'end') {
      const optional = this.accept('?')
      elements.push({ value: this.#expression(), optional })
      if (!this.accept(',')) break
    }
    this.expect(']')
    return { kind: 'list', elements, start, end: this.lastEnd }
  }

  #map(start: number): AstNode {
    const entries: MapLiteral['entries'][number][] = []
    while (!this.is('}') && this.token.kind !== 'end') {
      const optional = this.accept('?')
      const key = this.#expression()
      this.expect(':')
      entries.push({ key, value: this.#expression(), optional })
      if (!this.accept(',')) break
    }
    this.expect('}')
    return { kind: 'map', entries, start, end: this.lastEnd }
  }
}
