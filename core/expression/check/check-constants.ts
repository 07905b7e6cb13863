import { childrenOf, type AstNode } from '../parse/ast.ts'
import { Budget } from '../values/budget.ts'
import type { Checker } from './checker.ts'
import { compile } from '../evaluate/compile.ts'
import { Fault } from '../values/errors.ts'
import { EvaluationFrame } from '../evaluate/frame.ts'
import { findFunction } from '../functions/standard-library.ts'
import type { Value } from '../values/values.ts'

/** Constants that take longer than this are computed at run time only. */
const limits = { fuel: 2000, bytes: 1_000_000 }

/** Reports errors in constant parts, such as `int("abc")`, `[1, 2][7]` or `1 / 0`. */
export function checkConstants(checker: Checker, node: AstNode, source: string): void {
  // A term of `&&` or `||` may fail if another term decides the result.
  if (node.kind === 'logic' && node.terms.some((term) => isLiteral(term, node.operator === '||'))) return
  if (!isConstant(node)) {
    const isByZero = node.kind === 'binary' && /^[/%]$/.test(node.operator) && isLiteral(node.right, 0n)
    if (isByZero) checker.problem('invalid_literal', 'division by zero', node)
    for (const child of childrenOf(node)) checkConstants(checker, child, source)
  } else if (node.kind !== 'literal' && !checker.isBroken(node)) tryOut(checker, node, source)
}

const isLiteral = (node: AstNode, value: Value): boolean => node.kind === 'literal' && node.value === value

/** Whether a part is constant: it contains no names. */
export function isConstant(node: AstNode): boolean {
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

function tryOut(checker: Checker, node: AstNode, source: string): void {
  try {
    evaluateConstant(checker, node, source)
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    if (!fault.fatal) checker.problem('invalid_literal', fault.message, fault.span, fault.hint)
  }
}

/** The value of a constant part; undefined if it fails or takes too long. */
export function constantOf(
  checker: Pick<Checker, 'conversions'>,
  node: AstNode,
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
function evaluateConstant(
  { conversions }: Pick<Checker, 'conversions'>,
  node: AstNode,
  source: string,
): Value {
  const surroundings = {
    source,
    conversions,
    variables: new Map<string, number>(),
    names: new Set<string>(),
    takeSlot: () => 0,
    compile,
  }
  return compile(node, surroundings)(new EvaluationFrame({}, 0, new Budget(limits)))
}
