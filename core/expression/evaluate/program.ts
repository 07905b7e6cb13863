import type { AstNode } from '../parse/ast.ts'
import type { Budget } from '../values/budget.ts'
import { compile } from './compile.ts'
import { ExpressionError, Fault, type ExpressionErrorCode, type Span } from '../values/errors.ts'
import { EvaluationFrame } from './frame.ts'
import type { Type } from '../types/types.ts'
import { writtenTexts, type WrittenText } from '../parse/written-texts.ts'

/** A read of a name, as far as its path is static. */
export interface Reference extends Span {
  /** The name, such as `steps`. */
  readonly root: string
  /** The fields after it, such as `['signin', 'output', 'user']`. */
  readonly path: readonly string[]
  /** The read handles a missing value: `has(…)`, `.?` or `[?…]`. */
  readonly guarded: boolean
}

/** A compiled expression. Immutable and reusable. */
export interface Program {
  readonly source: string
  readonly type: Type
  /** In source order. */
  readonly references: readonly Reference[]
  /** Whether the expression uses a value that a schema marks `x-sensitive`. */
  readonly sensitive: boolean
  /** String literals that may be the result. */
  readonly writtenTexts: readonly WrittenText[]
  /** Whether the value is safe in a URL path: a result of `urlEncode`, or a literal. */
  readonly urlEncoded: boolean
  /**
   * Computes the value. Ints are bigint and times are objects: convert the result with `toJsonValue` or
   * `toText`.
   *
   * @param scope the names with JSON values; an undefined name is missing
   * @param budget shared by many evaluations; default: only the limits of a single evaluation
   * @throws ExpressionError
   */
  evaluate(scope: Readonly<Record<string, unknown>>, budget?: Budget): unknown
}

/** Results of the checker for an expression without problems. */
export interface Checked {
  readonly type: Type
  readonly references: readonly Reference[]
  readonly sensitive: boolean
  readonly conversions: ReadonlyMap<AstNode, 'timestamp' | 'duration'>
}

/** Compiles a tree without problems. */
export function makeProgram(
  source: string,
  tree: AstNode,
  names: readonly string[],
  checked: Checked,
): Program {
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
      const frame = new EvaluationFrame(scope, slots, budget)
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

/** Codes whose messages never quote a value; all others may. */
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
  // Only the depth of the syntax tree or of a value can exhaust the stack.
  if (!(fault instanceof RangeError)) return fault
  const whole = { start: 0, end: source.length }
  return new ExpressionError('expression_too_deep', 'the expression needs more stack than there is', whole, {
    cause: fault,
  })
}

/** Whether every possible result is a result of `urlEncode` or a literal. */
function isUrlEncoded(node: AstNode): boolean {
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
