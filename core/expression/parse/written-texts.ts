import type { AstNode } from './ast.ts'
import type { Span } from '../values/errors.ts'

/** A string literal that may be the result of an expression. */
export interface WrittenText extends Span {
  readonly text: string
}

/** The string literals that an expression may return: the branches of conditions, and defaults. */
export function writtenTexts(node: AstNode): readonly WrittenText[] {
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'string' ? [{ text: node.value, start: node.start, end: node.end }] : []
    case 'ternary':
      return [...writtenTexts(node.whenTrue), ...writtenTexts(node.whenFalse)]
    case 'bind':
      return writtenTexts(node.body)
    case 'call':
      return node.name === 'orValue' ? node.args.flatMap(writtenTexts) : []
    case 'ident':
    case 'select':
    case 'index':
    case 'list':
    case 'map':
    case 'logic':
    case 'unary':
    case 'binary':
    case 'has':
    case 'macro':
    case 'bad':
      return []
  }
}
