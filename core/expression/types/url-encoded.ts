import type { Node } from '../parse/ast.ts'

/** Whether an expression gives nothing but what `urlEncode` made, or texts that are written out in it. */
export function isUrlEncoded(node: Node): boolean {
  switch (node.kind) {
    case 'literal':
      return true
    case 'ternary':
      return isUrlEncoded(node.whenTrue) && isUrlEncoded(node.whenFalse)
    case 'bind':
      return isUrlEncoded(node.body)
    case 'call':
      return node.name === 'urlEncode'
    default:
      return false
  }
}
