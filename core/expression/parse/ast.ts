import type { Span } from '../values/errors.ts'
import { variadic } from './words.ts'
import type { Value } from '../values/values.ts'

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in'
export type MacroName =
  | 'all'
  | 'exists'
  | 'exists_one'
  | 'map'
  | 'filter'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry'
  | 'sortBy'
  | 'groupBy'
  | 'indexBy'
  | 'optMap'
  | 'optFlatMap'

/** The syntax tree. Spans cover the whole node. */
export type AstNode =
  | LiteralNode
  | IdentNode
  | SelectNode
  | IndexNode
  | CallNode
  | ListLiteral
  | MapLiteral
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
  readonly operand: AstNode
  readonly field: string
  readonly optional: boolean
  readonly fieldSpan: Span
}

/** `operand[index]`, or `operand[?index]` when `optional`. */
export interface IndexNode extends Span {
  readonly kind: 'index'
  readonly operand: AstNode
  readonly index: AstNode
  readonly optional: boolean
}

/** `name(args)` or `target.name(args)`. A namespace stays in `name`, such as `optional.of`. */
export interface CallNode extends Span {
  readonly kind: 'call'
  readonly name: string
  readonly target: AstNode | undefined
  readonly args: readonly AstNode[]
  readonly nameSpan: Span
}

export interface ListLiteral extends Span {
  readonly kind: 'list'
  readonly elements: readonly { readonly value: AstNode; readonly optional: boolean }[]
}

export interface MapLiteral extends Span {
  readonly kind: 'map'
  readonly entries: readonly { readonly key: AstNode; readonly value: AstNode; readonly optional: boolean }[]
}

/** A whole chain of `&&` or of `||`. */
export interface LogicNode extends Span {
  readonly kind: 'logic'
  readonly operator: '&&' | '||'
  readonly terms: readonly AstNode[]
}

interface UnaryNode extends Span {
  readonly kind: 'unary'
  readonly operator: '!' | '-'
  readonly operand: AstNode
}

export interface BinaryNode extends Span {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: AstNode
  readonly right: AstNode
}

interface TernaryNode extends Span {
  readonly kind: 'ternary'
  readonly condition: AstNode
  readonly whenTrue: AstNode
  readonly whenFalse: AstNode
}

/** `has(operand.field)`. */
export interface HasNode extends Span {
  readonly kind: 'has'
  readonly field: SelectNode
}

/**
 * `operand.all(variable, body)` and similar; some may have a filter before the body. With a second variable,
 * the first is the index or key, and the second the element or value.
 */
export interface MacroNode extends Span {
  readonly kind: 'macro'
  readonly name: MacroName
  readonly operand: AstNode
  readonly variable: string
  readonly second: string | undefined
  readonly filter: AstNode | undefined
  readonly body: AstNode
  readonly nameSpan: Span
}

/** `cel.bind(variable, value, body)`. */
export interface BindNode extends Span {
  readonly kind: 'bind'
  readonly variable: string
  readonly value: AstNode
  readonly body: AstNode
}

/** A part with a syntax error, which has been reported. */
interface BadNode extends Span {
  readonly kind: 'bad'
}

/** The arguments of a function; those of a variadic one as one list. */
export function argumentsOf(name: string, args: readonly AstNode[]): readonly AstNode[] {
  if (args.length < 2 || !variadic.has(name)) return args
  const elements = args.map((value) => ({ value, optional: false }))
  return [{ kind: 'list', elements, start: args[0]!.start, end: args.at(-1)!.end }]
}

/** A macro by one of its names. */
export const macroNode = (name: string, parts: Omit<MacroNode, 'kind' | 'name'>): MacroNode => ({
  kind: 'macro',
  name: (name === 'existsOne' ? 'exists_one' : name) as MacroName,
  ...parts,
})

/** The nodes directly below a node. */
export function childrenOf(node: AstNode): readonly AstNode[] {
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
