import type { Type, WrittenText } from '../../expression/index.ts'
import type { Template } from '../language/playbook.ts'
import type { Span } from '../language/source-text.ts'
import type { ScalarStyle } from '../yaml/repairs.ts'

/** A compiled template with what is known about it: its type, and the place of each of its parts. */
export interface TypedTemplate extends Span {
  readonly template: Template
  /** Also says which parts of it are, or derive from, what a schema marks `x-sensitive`. */
  readonly type: Type
  /** Of a map. */
  readonly entries?: readonly { readonly name: string; readonly key: Span; readonly value: TypedTemplate }[]
  /** Of a list. */
  readonly items?: readonly TypedTemplate[]
  /** Of an expression: the texts written out in it that may be its value. */
  readonly written?: readonly WrittenText[]
  /** Of a scalar: which quotes it stands in. */
  readonly style?: ScalarStyle
}
