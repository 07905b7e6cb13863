import type { Type, WrittenText } from '../../expression/index.ts'
import type { Template } from '../language/playbook.ts'
import type { Span } from '../language/source-text.ts'
import type { ScalarStyle } from '../yaml/repairs.ts'

/** A compiled template with its type and the places of its parts. */
export interface TypedTemplate extends Span {
  readonly template: Template
  /** Also marks the parts that are or derive from `x-sensitive` values. */
  readonly type: Type
  /** Of a map. */
  readonly entries?: readonly { readonly name: string; readonly key: Span; readonly value: TypedTemplate }[]
  /** Of a list. */
  readonly items?: readonly TypedTemplate[]
  /** For an expression: the literals that may be its value. */
  readonly written?: readonly WrittenText[]
  /** For a scalar: its quotes. */
  readonly style?: ScalarStyle
}
