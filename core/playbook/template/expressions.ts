import {
  compileExpression,
  describeType,
  dyn,
  type CompiledExpression,
  type ExpressionProblem,
  type ExpressionProblemCode,
  type Fact,
  type Program,
} from '../../expression/index.ts'
import type { ExpressionContext } from '../scope/context.ts'
import { suggest } from '../language/did-you-mean.ts'
import type { Entry, Node, ScalarNode } from '../yaml/document.ts'
import { hintInPlaybook, hyphenatedId, whyInvisible, worthSaying } from './expression-hints.ts'
import { describe } from './fields.ts'
import { findLookAlikes } from '../yaml/look-alikes.ts'
import type { ProblemCode } from '../language/problem-catalogue.ts'
import { quote } from '../language/problem.ts'
import { spanInScalar } from '../yaml/scalar-offsets.ts'
import { hintInQuotes, quoted } from '../yaml/repairs.ts'
import type { NameScope } from '../scope/scope.ts'
import type { Span } from '../language/source-text.ts'
import { compileTemplate, trimmed, type TemplateCompiler } from './template.ts'
import type { Sliced } from '../../common/sliced.ts'
import type { TypedTemplate } from './typed-template.ts'

const codes: Readonly<Record<ExpressionProblemCode, ProblemCode>> = {
  syntax: 'E201',
  not_in_enum: 'E202',
  wrong_type: 'E203',
  mixed_type: 'W408',
  name_in_quotes: 'W405',
  unknown_name: 'E204',
  unknown_field: 'E205',
  optional_field: 'E206',
  nullable: 'E207',
  unknown_function: 'E208',
  wrong_arguments: 'E208',
  too_long: 'E209',
  too_deep: 'E209',
  too_many_nodes: 'E209',
  invalid_literal: 'E212',
  not_supported: 'E213',
  times_as_text: 'W409',
  number_not_in_enum: 'W412',
  near_field: 'W420',
}

/** A value with `${{ … }}` in it. */
export function compileValue(
  context: ExpressionContext,
  scope: NameScope,
  node: Node,
): Sliced<TypedTemplate> {
  return compileTemplate(node, templateCompiler(context, scope))
}

function templateCompiler(context: ExpressionContext, scope: NameScope): TemplateCompiler {
  const { problems, source, readSteps } = context
  return {
    expression: (scalar, from, to) => compileAt(context, scope, scalar, from, to).program,
    report: (code, message, scalar, from, to, hint) =>
      problems.add(
        code,
        message,
        spanInScalar(source.text, scalar, from, to),
        hint && hintInQuotes(scalar.style, hint),
      ),
    isCutOff: ({ style, end }) => style === 'plain' && /^[ \t]+#/.test(source.text.slice(end, end + 100)),
    spanOf: (scalar, from, to) => spanInScalar(source.text, scalar, from, to),
    reportAt: (code, message, span, hint) => problems.add(code, message, span, hint),
    plainText: (scalar, text, isWhole) => {
      for (const { start, end, meant } of findLookAlikes(text, scope.names, scope.given, isWhole)) {
        const span = spanInScalar(source.text, scalar, start, end)
        // The intended expression may read any step, so no step is reported as unused.
        if (meant.includes('steps.')) readSteps.add('')
        problems.add(
          'W405',
          'this text stays as it is: only ${{ … }} is replaced by a value',
          span,
          `did you mean ${scalar.inFlow === true && scalar.style === 'plain' ? quoted(meant) : meant}?`,
        )
      }
    },
  }
}

/** A compiled condition; without a program if it is invalid, which has been reported. */
export interface CompiledCondition {
  readonly program: Program | undefined
  /** Facts that follow if it is true, and if it is false. */
  readonly whenTrue: readonly Fact[]
  readonly whenFalse: readonly Fact[]
}

const unknownCondition: CompiledCondition = { program: undefined, whenTrue: [], whenFalse: [] }

/** Compiles `if`, `when`, `where` or `until`: a boolean expression without braces. */
export function compileCondition(
  context: ExpressionContext,
  scope: NameScope,
  { name, value }: Entry,
): CompiledCondition {
  const { problems, source } = context
  const bare = readBare(context, name, value)
  if (bare === undefined) return unknownCondition
  const { scalar, from, to } = bare
  const { program, type, whenTrue, whenFalse, outcome } = compileAt(context, scope, scalar, from, to)
  // The facts of an invalid condition still count, to avoid follow-up problems.
  if (program === undefined) return { program, whenTrue, whenFalse }
  if (type.kind !== 'bool' && type.kind !== 'dyn') {
    const hint = 'compare it with something, or write has(…)'
    const message = `expected true or false for \`${name}\`, found ${article(describeType(type))}`
    problems.add('E210', message, spanInScalar(source.text, scalar, from, to), hint)
    return unknownCondition
  }
  if (outcome !== undefined) {
    const hint =
      outcome === 'always' ? 'leave it out, or correct it' : 'correct it, or leave out what depends on it'
    problems.add(
      'W424',
      `this condition is ${outcome} true`,
      spanInScalar(source.text, scalar, from, to),
      hint,
    )
  }
  return { program, whenTrue, whenFalse }
}

/** Like `compileCondition`, for an expression of any type. */
export function compileBare(
  context: ExpressionContext,
  scope: NameScope,
  name: string,
  value: Node,
): Program | undefined {
  const bare = readBare(context, name, value)
  return bare && compileAt(context, scope, bare.scalar, bare.from, bare.to).program
}

/** The place of the expression; undefined if there is none, which has been reported. */
function readBare({ problems, conditionsInBraces }: ExpressionContext, name: string, value: Node) {
  if (value.kind !== 'scalar' || value.value === null || value.value === '') {
    const message = `expected an expression for \`${name}\`, found ${describe(value)}`
    problems.add('E106', message, value, hintForList(name, value))
    return undefined
  }
  const text = String(value.value)
  const braces = bracesOf(text)
  if (braces && !(conditionsInBraces && braces[2].startsWith('${{'))) {
    const hint = `write ${name}: ${text.slice(braces[0], braces[1])}`
    problems.add('E201', `\`${name}\` takes an expression without ${braces[2]}`, value, hint)
  } else if (!braces && text.trimStart().startsWith('${{')) {
    problems.add('E201', `\`${name}\` takes an expression without \${{ }}`, value)
    return undefined
  }
  const [from, to] = braces ? trimmed(text, braces[0], braces[1]) : trimmed(text, 0, text.length)
  return { scalar: value, from, to }
}

/** A hint for a list of conditions. */
function hintForList(name: string, node: Node): string | undefined {
  if (node.kind !== 'list' || !node.items.every(({ kind }) => kind === 'scalar')) return undefined
  const terms = node.items.map((item) => (item.kind === 'scalar' ? String(item.value) : ''))
  const joined = terms.map((term) => (/\|\||\?/.test(term) ? `(${term})` : term)).join(' && ')
  return joined.length <= 160 ? `write ${name}: ${joined}` : 'join them with &&'
}

/** The place of the expression in a condition with braces. */
function bracesOf(text: string): readonly [from: number, to: number, braces: string] | undefined {
  const opening = ['${{', '${', '{{'].find((each) => text.trimStart().startsWith(each))
  const end = text.trimEnd()
  const closing = opening === '${' ? '}' : '}}'
  if (opening === undefined || !end.endsWith(closing)) return undefined
  const from = text.indexOf(opening) + opening.length
  const inner = end.slice(from, end.length - closing.length)
  if (inner.trim() === '' || inner.includes('${{') || /^[\s{}]*["'][^"']*["']\s*:/.test(inner))
    return undefined
  const start = from + (inner.length - inner.trimStart().length)
  return [start, start + inner.trim().length, `${opening} ${closing}`]
}

const article = (noun: string): string =>
  /^(?:any|null|one of|")/.test(noun) ? noun : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`

type Compiled = Pick<CompiledExpression, 'program' | 'type' | 'whenTrue' | 'whenFalse' | 'outcome'>

function compileAt(
  context: ExpressionContext,
  scope: NameScope,
  scalar: ScalarNode,
  from: number,
  to: number,
): Compiled {
  const { problems, source, readSteps, observer } = context
  const text = String(scalar.value)
  const [start, end] = trimmed(text, from, to)
  if (problems.isFull) return { type: dyn, whenTrue: [], whenFalse: [] }
  const expression = text.slice(start, Math.min(end, to))
  observer?.expression({ scalar, from: start, text: expression, names: scope.names, given: scope.given })
  if (expression.trim() === '') {
    problems.add('E201', 'the expression is empty', spanInScalar(source.text, scalar, from, end))
    return { type: dyn, whenTrue: [], whenFalse: [] }
  }
  const strict = compileExpression(expression, scope.names, {
    given: scope.given,
    patterns: context.patterns,
  })
  const compiled = strict.program ? strict : (withHiddenFacts(expression, scope) ?? strict)
  for (const problem of worthSaying(expression, strict.problems)) {
    const span = spanInScalar(
      source.text,
      scalar,
      start + problem.start,
      start + Math.max(problem.end, problem.start + 1),
    )
    if (compiled === strict) report(context, scope, scalar, expression, problem, span)
    else problems.add('W410', problem.message, span, problem.hint)
  }
  for (const doubt of compiled.doubts) {
    const span = spanInScalar(source.text, scalar, start + doubt.start, start + doubt.end)
    problems.add(codes[doubt.code], doubt.message, span, doubt.hint && hintInQuotes(scalar.style, doubt.hint))
  }
  for (const { root, path } of compiled.program?.references ?? []) {
    // Without a static path it may be any step.
    if (root === 'steps') readSteps.add(path[0] ?? '')
  }
  return compiled
}

/**
 * Compiles with the facts about hidden names too: expressions that rely on them are only warned about (W410).
 */
function withHiddenFacts(
  expression: string,
  { names, given, hiddenFacts }: NameScope,
): CompiledExpression | undefined {
  if (hiddenFacts.length === 0) return undefined
  const compiled = compileExpression(expression, names, { given: [...given, ...hiddenFacts] })
  return compiled.program && compiled
}

function report(
  context: ExpressionContext,
  scope: NameScope,
  { style }: ScalarNode,
  expression: string,
  problem: ExpressionProblem,
  span: Span,
): void {
  const id = problem.code === 'unknown_field' ? stepIn(expression, problem) : undefined
  if (id === undefined || scope.has(id)) {
    const hint = () => {
      const found = (context.hintFor ?? hintInPlaybook)(expression, problem, scope)
      return found && hintInQuotes(style, found)
    }
    context.problems.add(codes[problem.code], problem.message, span, hint)
    return
  }
  const hyphens = hyphenatedId(expression, problem.start)
  const step = hyphens === undefined ? context.ids.get(id) : undefined
  if (step === undefined) {
    const hint = () =>
      hyphens === undefined
        ? (suggest(id, scope.stepIds) ?? `give the step an id: - id: ${id}`)
        : `ids contain no hyphens: write steps.${hyphens.replaceAll('-', '_')}`
    context.problems.add('E302', `unknown step ${quote(hyphens ?? id)}`, span, hint)
    return
  }
  const [message, hint] = whyInvisible(id, step, scope.place.current)
  context.problems.add('E303', message, span, hint)
}

/** The id of an unknown field of `steps`. */
function stepIn(expression: string, { start, end }: Span): string | undefined {
  const field = /([A-Za-z_]\w*)\W*$/.exec(expression.slice(start, end))?.[1]
  const before = expression.slice(0, end)
  return field !== undefined &&
    new RegExp(`\\bsteps\\s*(?:\\.\\s*\\??|\\[\\s*\\??\\s*['"])\\s*${field}\\W*$`).test(before)
    ? field
    : undefined
}
