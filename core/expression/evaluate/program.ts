import type { Node } from '../parse/ast.ts'
import type { Budget } from '../values/budget.ts'
import { compile } from './compile.ts'
import { ExpressionError, Fault, type ExpressionErrorCode, type Span } from '../values/errors.ts'
import { Frame } from './frame.ts'
import type { Type } from '../types/types.ts'
import { isUrlEncoded } from '../types/url-encoded.ts'
import { writtenTexts, type WrittenText } from '../parse/written-texts.ts'

/** A read of a name of the scope, as far as its path is static. */
export interface Reference extends Span {
  /** The name, such as `steps`. */
  readonly root: string
  /** The fields behind it, such as `['signin', 'output', 'user']`. */
  readonly path: readonly string[]
  /** The read copes with absence: `has(…)`, `.?` or `[?…]`. */
  readonly guarded: boolean
}

/** An expression that is ready to run. Immutable; may be shared and evaluated any number of times. */
export interface Program {
  readonly source: string
  readonly type: Type
  /** In the order of the source. */
  readonly references: readonly Reference[]
  /** Whether a value that a schema marks `x-sensitive` takes part. */
  readonly sensitive: boolean
  /** Texts in the source that may be the value. */
  readonly writtenTexts: readonly WrittenText[]
  /** Whether the value can stand in a path of an address: it is made by `urlEncode`, or written out. */
  readonly urlEncoded: boolean
  /**
   * Computes the value. Ints are bigint, times are objects: use `toJsonValue` or `toText` where the value leaves.
   *
   * @param scope the names, with JSON values; a name that is undefined is missing
   * @param budget shared by many evaluations; without one only the limits of a single evaluation hold
   * @throws ExpressionError
   */
  evaluate(scope: Readonly<Record<string, unknown>>, budget?: Budget): unknown
}

/** What the checker knows about an expression without problems. */
export interface Checked {
  readonly type: Type
  readonly references: readonly Reference[]
  readonly sensitive: boolean
  readonly conversions: ReadonlyMap<Node, 'timestamp' | 'duration'>
}

/** Makes a program of a tree without problems. */
export function makeProgram(source: string, tree: Node, names: readonly string[], checked: Checked): Program {
  let slots = 0
  const run = compile(tree, {
    source,
    conversions: checked.conversions,
    variables: new Map(),
    names: new Set(names),
    takeSlot: () => slots++,
    compile,
  })
  return {
    source,
    type: checked.type,
    references: checked.references,
    sensitive: checked.sensitive,
    writtenTexts: writtenTexts(tree),
    urlEncoded: isUrlEncoded(tree),
    evaluate(scope, budget) {
      const frame = new Frame(scope, slots, budget)
      const { fuel, bytes } = frame
      try {
        return run(frame)
      } catch (fault) {
        throw toError(fault, source, checked.sensitive)
      } finally {
        if (budget) {
          budget.fuel -= fuel - Math.max(0, frame.fuel)
          budget.bytes -= bytes - Math.max(0, frame.bytes)
        }
      }
    },
  }
}

/** Codes whose messages never quote a value; what is new here is taken to quote one. */
const quotesNothing: ReadonlySet<string> = new Set<ExpressionErrorCode>([
  'expression_unknown_name',
  'expression_missing_field',
  'expression_wrong_type',
  'expression_divide_by_zero',
  'expression_too_deep',
  'expression_fuel_exhausted',
  'expression_memory_exhausted',
])

function toError(fault: unknown, source: string, sensitive: boolean): unknown {
  if (fault instanceof Fault) {
    const isQuoting = sensitive && !quotesNothing.has(fault.code)
    const shown = isQuoting
      ? new Fault(fault.code, 'a sensitive value, which is not shown, cannot be used here', fault.span)
      : fault
    return shown.toError()
  }
  // Only the depth of the syntax tree or of a value can exhaust the stack, and only when little of it was left.
  if (!(fault instanceof RangeError)) return fault
  const whole = { start: 0, end: source.length }
  return new ExpressionError('expression_too_deep', 'the expression needs more stack than there is', whole, {
    cause: fault,
  })
}
