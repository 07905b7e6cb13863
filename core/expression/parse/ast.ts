import type { Span } from '../values/errors.ts'
import type { Value } from '../values/values.ts'

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in'
export type MacroName = 'all' | 'exists' | 'exists_one' | 'map' | 'filter' | 'optMap' | 'optFlatMap'

/** An expression as it was written. Spans cover the whole of each node. */
export type Node =
  | LiteralNode
  | IdentNode
  | SelectNode
  | IndexNode
  | CallNode
  | ListNode
  | MapNode
  | LogicNode
  | UnaryNode
  | BinaryNode
  | TernaryNode
  | HasNode
  | MacroNode
  | BindNode
  | BadNode

interface LiteralNode extends Span {
  readonly kind: 'literal'
  readonly value: Value
}

export interface IdentNode extends Span {
  readonly kind: 'ident'
  readonly name: string
}

/** `operand.field`, or `operand.?field` when `optional`. */
export interface SelectNode extends Span {
  readonly kind: 'select'
  readonly operand: Node
  readonly field: string
  readonly optional: boolean
  readonly fieldSpan: Span
}

/** `operand[index]`, or `operand[?index]` when `optional`. */
export interface IndexNode extends Span {
  readonly kind: 'index'
  readonly operand: Node
  readonly index: Node
  readonly optional: boolean
}

/** `name(args)` or `target.name(args)`. Names with a namespace, such as `optional.of`, are kept whole in `name`. */
export interface CallNode extends Span {
  readonly kind: 'call'
  readonly name: string
  readonly target: Node | undefined
  readonly args: readonly Node[]
  readonly nameSpan: Span
}

export interface ListNode extends Span {
  readonly kind: 'list'
  readonly elements: readonly { readonly value: Node; readonly optional: boolean }[]
}

export interface MapNode extends Span {
  readonly kind: 'map'
  readonly entries: readonly { readonly key: Node; readonly value: Node; readonly optional: boolean }[]
}

/** A whole chain of `&&` or of `||`. */
export interface LogicNode extends Span {
  readonly kind: 'logic'
  readonly operator: '&&' | '||'
  readonly terms: readonly Node[]
}

interface UnaryNode extends Span {
  readonly kind: 'unary'
  readonly operator: '!' | '-'
  readonly operand: Node
}

export interface BinaryNode extends Span {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Node
  readonly right: Node
}

interface TernaryNode extends Span {
  readonly kind: 'ternary'
  readonly condition: Node
  readonly whenTrue: Node
  readonly whenFalse: Node
}

/** `has(operand.field)`. */
export interface HasNode extends Span {
  readonly kind: 'has'
  readonly field: SelectNode
}

/** `operand.all(variable, body)` and its kin; `map` may have a filter before its body. */
export interface MacroNode extends Span {
  readonly kind: 'macro'
  readonly name: MacroName
  readonly operand: Node
  readonly variable: string
  readonly filter: Node | undefined
  readonly body: Node
  readonly nameSpan: Span
}

/** `cel.bind(variable, value, body)`. */
export interface BindNode extends Span {
  readonly kind: 'bind'
  readonly variable: string
  readonly value: Node
  readonly body: Node
}

/** Where the source could not be understood; a problem says why. */
interface BadNode extends Span {
  readonly kind: 'bad'
}

/** The nodes directly below a node. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'ident':
    case 'bad':
      return []
    case 'select':
    case 'unary':
      return [node.operand]
    case 'index':
      return [node.operand, node.index]
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args
    case 'list':
      return node.elements.map((element) => element.value)
    case 'map':
      return node.entries.flatMap((entry) => [entry.key, entry.value])
    case 'logic':
      return node.terms
    case 'binary':
      return [node.left, node.right]
    case 'ternary':
      return [node.condition, node.whenTrue, node.whenFalse]
    case 'has':
      return [node.field]
    case 'macro':
      return node.filter ? [node.operand, node.filter, node.body] : [node.operand, node.body]
    case 'bind':
      return [node.value, node.body]
  }
}
