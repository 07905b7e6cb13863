import { childrenOf, type AstNode, type CallNode } from './parse/ast.ts'
import { maxHeight, maxExpressionNodes, maxExpressionBytes } from './values/budget.ts'
import { check } from './check/check.ts'
import type { ExpressionProblem } from './values/errors.ts'
import { maxPatternWeight } from './functions/patterns/pattern.ts'
import { patternWeight } from './functions/patterns/pattern-weight.ts'
import { parse } from './parse/parser.ts'
import { makeProgram, type Program } from './evaluate/program.ts'
import { dyn, type Type } from './types/types.ts'
import type { Fact } from './check/facts.ts'

export interface CompileOptions {
  /** Facts from conditions around the expression, such as the `whenTrue` of an enclosing `if`. */
  readonly given?: readonly Fact[] | undefined
  /**
   * `off` checks types at run time only, as CEL does without its checker; syntax and limits are still
   * checked. Default `strict`.
   */
  readonly types?: 'strict' | 'off' | undefined
  /**
   * The remaining weight for regular expressions, shared by several expressions. Compiling this expression
   * deducts the weight of its patterns.
   */
  readonly patterns?: { left: number } | undefined
}

export interface CompiledExpression {
  /** Absent when there is any problem. */
  readonly program?: Program
  /** The type of the value, as far as it is known; `dyn` if the expression is invalid. */
  readonly type: Type
  /** All problems, in source order. */
  readonly problems: readonly ExpressionProblem[]
  /** Warnings, such as operations that fail for some possible types. */
  readonly doubts: readonly ExpressionProblem[]
  /**
   * Facts that follow if the expression, as a condition, is true or false: see {@link CompileOptions.given}.
   */
  readonly whenTrue: readonly Fact[]
  readonly whenFalse: readonly Fact[]
  /** Whether a condition is always or never true, if that is known statically. */
  readonly outcome?: 'always' | 'never' | undefined
}

/**
 * Parses, checks and compiles an expression. Never throws for an invalid source: it collects problems with
 * their places.
 *
 * @param names the names that the expression may use, with their types; `dyn` if unknown
 * @example
 * const { program } = compileExpression('alert.data.risk >= 50', { alert: dyn })
 * program?.evaluate({ alert: { data: { risk: 70 } } }) // true
 */
export function compileExpression(
  source: string,
  names: Readonly<Record<string, Type>>,
  options: CompileOptions = {},
): CompiledExpression {
  const problems: ExpressionProblem[] = []
  const broken = (): CompiledExpression => ({
    type: dyn,
    problems: sorted(problems),
    doubts: [],
    whenTrue: [],
    whenFalse: [],
  })
  const whole = { start: 0, end: source.length }
  if (source.length > maxExpressionBytes || Buffer.byteLength(source) > maxExpressionBytes) {
    problems.push({
      code: 'too_long',
      message: `the expression is longer than ${maxExpressionBytes} bytes`,
      ...whole,
    })
    return broken()
  }
  const tree = parse(source, problems)
  const size = measure(tree)
  if (size.nodes > maxExpressionNodes) {
    problems.push({
      code: 'too_many_nodes',
      message: `the expression has more than ${maxExpressionNodes} nodes`,
      ...whole,
    })
    return broken()
  }
  if (size.height > maxHeight) {
    const message = `the expression has a chain of more than ${maxHeight} operators`
    problems.push({ code: 'too_deep', message, ...whole })
    return broken()
  }
  const { patterns = { left: maxPatternWeight } } = options
  patterns.left -= size.patterns
  if (size.patterns > maxPatternWeight || (size.patterns > 0 && patterns.left < 0)) {
    const which =
      size.patterns > maxPatternWeight ? 'the regular expressions' : 'the regular expressions up to here'
    const message = `${which} are too large: their repeat counts expand to too many characters`
    const hint = 'use smaller repeat counts, or * or + instead of {0,1000}'
    problems.push({ code: 'too_many_nodes', message, hint, ...whole })
    return broken()
  }
  const checked = check(tree, source, names, options.given ?? [], problems.slice())
  if (options.types !== 'off') problems.push(...checked.problems)
  const doubts = problems.length > 0 || options.types === 'off' ? [] : sorted(checked.doubts)
  const result = { type: checked.type, problems: sorted(problems), doubts, ...checked.facts }
  if (problems.length > 0) return result
  const conversions = options.types === 'off' ? new Map<AstNode, never>() : checked.conversions
  const program = makeProgram(source, tree, Object.keys(names), { ...checked, conversions })
  return { program, ...result, outcome: options.types === 'off' ? undefined : checked.outcome }
}

const sorted = (problems: readonly ExpressionProblem[]): readonly ExpressionProblem[] =>
  problems.toSorted((left, right) => left.start - right.start || left.end - right.end)

/** Not recursive: it bounds the recursion elsewhere. */
function measure(tree: AstNode): { nodes: number; height: number; patterns: number } {
  const open: [AstNode, number][] = [[tree, 1]]
  let nodes = 0
  let height = 0
  let patterns = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next
    nodes++
    height = Math.max(height, depth)
    if (node.kind === 'call') patterns += writtenWeight(patternArgument(node))
    for (const child of childrenOf(node)) open.push([child, depth + 1])
  }
  return { nodes, height, patterns }
}

/** The argument of a call that is a regular expression. */
function patternArgument({ name, args }: CallNode): AstNode | undefined {
  if (name === 'matches') return args.at(-1)
  return name.startsWith('regex.') ? args[1] : undefined
}

const writtenWeight = (pattern: AstNode | undefined): number =>
  pattern?.kind === 'literal' && typeof pattern.value === 'string' ? patternWeight(pattern.value) : 0
