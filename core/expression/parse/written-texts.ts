import type { Node } from './ast.ts'
import type { Span } from '../values/errors.ts'

/** A text that is written out in an expression, which may be its value. */
export interface WrittenText extends Span {
  readonly text: string
}

/** The texts written out that an expression may give: those at the ends of its conditions and its defaults. */
export function writtenTexts(node: Node): readonly WrittenText[] {
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
