import { childrenOf, type Node } from '../parse/ast.ts'
import { Budget } from '../values/budget.ts'
import type { Checker } from './checker.ts'
import { compile } from '../evaluate/compile.ts'
import { Fault } from '../values/errors.ts'
import { Frame } from '../evaluate/frame.ts'
import { findFunction } from '../functions/standard-library.ts'
import type { Value } from '../values/values.ts'

/** What is written out can be computed at once; what takes longer is left to run time. */
const limits = { fuel: 2000, bytes: 1_000_000 }

/** Reports what is wrong with parts that are written out as a whole, such as `int("abc")`, `[1, 2][7]` or `1 / 0`. */
export function checkConstants(checker: Checker, node: Node, source: string): void {
  // What another term decides may fail.
  if (node.kind === 'logic' && node.terms.some((term) => isLiteral(term, node.operator === '||'))) return
  if (!isConstant(node)) {
    const isByZero = node.kind === 'binary' && /^[/%]$/.test(node.operator) && isLiteral(node.right, 0n)
    if (isByZero) checker.problem('invalid_literal', 'division by zero', node)
    for (const child of childrenOf(node)) checkConstants(checker, child, source)
  } else if (node.kind !== 'literal' && !checker.isBroken(node)) tryOut(checker, node, source)
}

const isLiteral = (node: Node, value: Value): boolean => node.kind === 'literal' && node.value === value

/** Whether a part is written out as a whole, without names. */
export function isConstant(node: Node): boolean {
  switch (node.kind) {
    case 'literal':
      return true
    case 'call':
      return (
        findFunction(node.name, node.target !== undefined) !== undefined && childrenOf(node).every(isConstant)
      )
    case 'list':
    case 'map':
    case 'index':
    case 'unary':
    case 'binary':
      return childrenOf(node).every(isConstant)
    case 'ident':
    case 'select':
    case 'has':
    case 'logic':
    case 'ternary':
    case 'macro':
    case 'bind':
    case 'bad':
      return false
  }
}

function tryOut(checker: Checker, node: Node, source: string): void {
  try {
    evaluateConstant(checker, node, source)
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    if (!fault.fatal) checker.problem('invalid_literal', fault.message, fault.span, fault.hint)
  }
}

/** What a part gives that is written out as a whole; undefined where it fails, or takes too long. */
export function constantOf(
  checker: Pick<Checker, 'conversions'>,
  node: Node,
  source: string,
): Value | undefined {
  try {
    return evaluateConstant(checker, node, source)
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    return undefined
  }
}

/** Throws Fault. */
function evaluateConstant({ conversions }: Pick<Checker, 'conversions'>, node: Node, source: string): Value {
  const surroundings = {
    source,
    conversions,
    variables: new Map<string, number>(),
    names: new Set<string>(),
    takeSlot: () => 0,
    compile,
  }
  return compile(node, surroundings)(new Frame({}, 0, new Budget(limits)))
}
