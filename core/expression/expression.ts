import { childrenOf, type Node } from './parse/ast.ts'
import { maxHeight, maxNodes, maxSourceBytes } from './values/budget.ts'
import { check } from './check/checker.ts'
import type { ExpressionProblem } from './values/errors.ts'
import { maxPatternWeight } from './functions/pattern.ts'
import { patternWeight } from './functions/pattern-weight.ts'
import { parse } from './parse/parser.ts'
import { makeProgram, type Program } from './evaluate/program.ts'
import { dyn, type Type } from './types/types.ts'
import type { Fact } from './check/facts.ts'

export interface CompileOptions {
  /** What conditions around the expression have made certain, such as the `whenTrue` of an enclosing `if`. */
  readonly given?: readonly Fact[] | undefined
  /**
   * `off` leaves every question of types to run time, as CEL does without its checker; only the syntax and the limits are
   * looked at. Default `strict`.
   */
  readonly types?: 'strict' | 'off' | undefined
  /** What the patterns of several expressions together may still weigh; those of this one are taken from it. */
  readonly patterns?: { left: number } | undefined
}

export interface CompiledExpression {
  /** Absent when there is any problem. */
  readonly program?: Program
  /** The type of the value, as far as it is known; `dyn` when the expression could not be understood. */
  readonly type: Type
  /** All that is wrong, in the order of the source. */
  readonly problems: readonly ExpressionProblem[]
  /** What is worth a warning, such as what works for some of the values that there may be; no reason to have no program. */
  readonly doubts: readonly ExpressionProblem[]
  /** What is certain where the expression, as a condition, was true or false: see {@link CompileOptions.given}. */
  readonly whenTrue: readonly Fact[]
  readonly whenFalse: readonly Fact[]
  /** Of a condition that cannot be both, by what is known of it before it runs. */
  readonly outcome?: 'always' | 'never' | undefined
}

/**
 * Parses, checks and compiles an expression. Never throws on a bad source: every problem is collected, with its place.
 *
 * @param names the names that the expression may use, with their types; `dyn` where nothing is known
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
  if (source.length > maxSourceBytes || Buffer.byteLength(source) > maxSourceBytes) {
    problems.push({
      code: 'too_long',
      message: `the expression is longer than ${maxSourceBytes} bytes`,
      ...whole,
    })
    return broken()
  }
  const tree = parse(source, problems)
  const size = measure(tree)
  if (size.nodes > maxNodes) {
    problems.push({
      code: 'too_many_nodes',
      message: `the expression has more than ${maxNodes} nodes`,
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
    const which = size.patterns > maxPatternWeight ? 'the patterns' : 'the patterns so far'
    const message = `${which} are too large: with their repeats they stand for more characters than may be`
    const hint = 'repeat less often, or without a limit: * or + in place of {0,1000}'
    problems.push({ code: 'too_many_nodes', message, hint, ...whole })
    return broken()
  }
  const checked = check(tree, source, names, options.given ?? [], problems.slice())
  if (options.types !== 'off') problems.push(...checked.problems)
  const doubts = problems.length > 0 || options.types === 'off' ? [] : sorted(checked.doubts)
  const result = { type: checked.type, problems: sorted(problems), doubts, ...checked.facts }
  if (problems.length > 0) return result
  const conversions = options.types === 'off' ? new Map<Node, never>() : checked.conversions
  const program = makeProgram(source, tree, Object.keys(names), { ...checked, conversions })
  return { program, ...result, outcome: options.types === 'off' ? undefined : checked.outcome }
}

const sorted = (problems: readonly ExpressionProblem[]): readonly ExpressionProblem[] =>
  problems.toSorted((left, right) => left.start - right.start || left.end - right.end)

/** Without recursion, since it is what keeps recursion in bounds everywhere else. */
function measure(tree: Node): { nodes: number; height: number; patterns: number } {
  const open: [Node, number][] = [[tree, 1]]
  let nodes = 0
  let height = 0
  let patterns = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next
    nodes++
    height = Math.max(height, depth)
    if (node.kind === 'call' && node.name === 'matches') patterns += writtenWeight(node.args.at(-1))
    for (const child of childrenOf(node)) open.push([child, depth + 1])
  }
  return { nodes, height, patterns }
}

const writtenWeight = (pattern: Node | undefined): number =>
  pattern?.kind === 'literal' && typeof pattern.value === 'string' ? patternWeight(pattern.value) : 0
