import type { Fact, Type } from '../../expression/index.ts'
import type { Node, ScalarNode } from '../yaml/document.ts'
import type { SourceText } from '../language/source-text.ts'

/** An expression at its place, with the visible names. */
export interface SeenExpression {
  readonly scalar: ScalarNode
  /** Offset of the expression in the value of the scalar. */
  readonly from: number
  readonly text: string
  /** The names that are visible there. */
  readonly names: Readonly<Record<string, Type>>
  /** Facts from conditions around it. */
  readonly given: readonly Fact[]
}

/**
 * Observes the reading of a playbook, for editors. A text with syntax errors is then read as far as possible.
 */
export interface ReadObserver {
  document(root: Node, source: SourceText): void
  expression(seen: SeenExpression): void
}
