import { findFunction } from '../functions/standard-library.ts'
import { childrenOf, type AstNode, type CallNode } from '../parse/ast.ts'
import { Meter, type Budget } from '../values/budget.ts'
import { Fault } from '../values/errors.ts'
import { kindOfValue, type Value } from '../values/values.ts'

/** The state of one evaluation: names, macro variables by slot, and the remaining budget. */
export class EvaluationFrame extends Meter {
  readonly scope: Readonly<Record<string, unknown>>
  readonly slots: Value[]

  constructor(scope: Readonly<Record<string, unknown>>, slots: number, budget: Budget | undefined) {
    super(budget)
    this.scope = scope
    this.slots = slots === 0 ? noSlots : Array.from({ length: slots }, () => null)
  }
}

const noSlots: Value[] = []

/** A compiled node. */
export type CompiledNode = (frame: EvaluationFrame) => Value

/** The context of compilation. */
export interface Compiler {
  readonly source: string
  /** Nodes whose string value is converted to a timestamp or duration, from the checker. */
  readonly conversions: ReadonlyMap<AstNode, 'timestamp' | 'duration'>
  /** Slots of the macro variables in scope. */
  readonly variables: ReadonlyMap<string, number>
  /** Names of the scope; they take precedence over names of types. */
  readonly names: ReadonlySet<string>
  /** Takes the next free slot. */
  readonly takeSlot: () => number
  /** Compiles a child. */
  readonly compile: (node: AstNode, compiler: Compiler) => CompiledNode
}

export const notBool = (operator: string, value: Value, node: AstNode): Fault =>
  new Fault('expression_wrong_type', `${operator} needs a bool, found ${kindOfValue(value)}`, node)

/** Nodes per unit of fuel. */
const nodesPerUnit = 8

/** Fuel per iteration of a loop with this body; inner loops pay for themselves. */
export const turnPrice = (...bodies: readonly AstNode[]): number =>
  1 + Math.floor(bodies.reduce((sum, body) => sum + bodySize(body), 0) / nodesPerUnit)

function bodySize(node: AstNode): number {
  let size = node.kind === 'call' ? nodesPerUnit * priceOf(node) : 1
  for (const child of childrenOf(node)) size += child.kind === 'macro' ? 1 : bodySize(child)
  return size
}

const priceOf = (node: CallNode): number => findFunction(node.name, node.target !== undefined)?.price ?? 1
