import type { Fact, Type } from '../../expression/index.ts'
import type { Node, ScalarNode } from '../yaml/document.ts'
import type { SourceText } from '../language/source-text.ts'

/** An expression where it stands, with what it may refer to. */
export interface SeenExpression {
  readonly scalar: ScalarNode
  /** Where the expression begins in the value of the scalar. */
  readonly from: number
  readonly text: string
  /** The names that are visible there. */
  readonly names: Readonly<Record<string, Type>>
  /** What conditions around it have made certain. */
  readonly given: readonly Fact[]
}

/** Follows the reading of a playbook, for editors: a text with syntax errors is then read as far as it can be understood. */
export interface ReadObserver {
  document(root: Node, source: SourceText): void
  expression(seen: SeenExpression): void
}
