import { childrenOf, type Node } from '../parse/ast.ts'
import { Meter, type Budget } from '../values/budget.ts'
import { Fault } from '../values/errors.ts'
import { priceOf } from '../functions/prices.ts'
import { kindOf, type Value } from '../values/values.ts'

/** What one evaluation works with: the names, the variables of macros by slot, and what may still be spent. */
export class Frame extends Meter {
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
export type Run = (frame: Frame) => Value

/** What compiling needs to know beside the node. */
export interface Compiler {
  readonly source: string
  /** Nodes whose text value is to be read as a timestamp or duration, as the checker found. */
  readonly conversions: ReadonlyMap<Node, 'timestamp' | 'duration'>
  /** Slots of the macro variables in scope. */
  readonly variables: ReadonlyMap<string, number>
  /** Names of the scope; undefined when they are not known, so that the names of types come last. */
  readonly names: ReadonlySet<string>
  /** Takes the next free slot. */
  readonly takeSlot: () => number
  /** Compiles a child. */
  readonly compile: (node: Node, compiler: Compiler) => Run
}

export const notBool = (operator: string, value: Value, node: Node): Fault =>
  new Fault('expression_wrong_type', `${operator} needs a bool, found ${kindOf(value)}`, node)

/** How many nodes fit into a unit of fuel. */
const nodesPerUnit = 8

/** Fuel for one turn of a loop with such a body, without loops inside it, which pay for themselves. */
export const turnPrice = (...bodies: readonly Node[]): number =>
  1 + Math.floor(bodies.reduce((sum, body) => sum + bodySize(body), 0) / nodesPerUnit)

function bodySize(node: Node): number {
  let size = node.kind === 'call' ? nodesPerUnit * priceOf(node.name) : 1
  for (const child of childrenOf(node)) size += child.kind === 'macro' ? 1 : bodySize(child)
  return size
}
