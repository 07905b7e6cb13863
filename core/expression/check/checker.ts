import type { IdentNode, LogicNode, Node } from '../parse/ast.ts'
import { checkHas, checkReference } from './check-access.ts'
import { checkBinary } from './check-binary.ts'
import { checkCall } from './check-call.ts'
import { checkConstants, constantOf } from './check-constants.ts'
import { checkList, checkMap } from './check-literals.ts'
import { checkBind, checkMacro } from './check-macros.ts'
import type { ExpressionProblem, ExpressionProblemCode, Span } from '../values/errors.ts'
import { isMixed } from './narrow-union.ts'
import { factsOf, Knowledge } from './narrowing.ts'
import { widened } from './operator-hints.ts'
import type { Checked, Reference } from '../evaluate/program.ts'
import { outcomeOf } from './static-truth.ts'
import { shorten } from '../values/time.ts'
import {
  admitsNull,
  bool,
  derived,
  describeType,
  double,
  dyn,
  int,
  isNumeric,
  membersOf,
  nullType,
  union,
  type Type,
} from '../types/types.ts'

import type { Value } from '../values/values.ts'
import type { Fact, Facts } from './facts.ts'

/** What is known at a place in the expression. */
export interface Scope {
  /** Variables of macros and of `cel.bind`, which hide the names. */
  readonly variables: ReadonlyMap<string, Type>
  readonly knowledge: Knowledge
}

interface Findings {
  readonly problems: readonly ExpressionProblem[]
  readonly doubts: readonly ExpressionProblem[]
  readonly facts: Facts
  /** See {@link outcomeOf}; only of what is true or false and has no problems. */
  readonly outcome: 'always' | 'never' | undefined
}

/**
 * Infers the type of every part of an expression and collects what cannot work. It reports what is certain to be wrong or
 * what the design demands (optional fields, null); where types are unknown it leaves the question to run time.
 */
export function check(
  tree: Node,
  source: string,
  names: Readonly<Record<string, Type>>,
  given: readonly Fact[],
  unread: readonly Span[] = [],
): Checked & Findings {
  const checker = new Checker(source, names, unread)
  const type = checker.infer(tree, { variables: new Map(), knowledge: new Knowledge(given) })
  checkConstants(checker, tree, source)
  const { problems, doubts, references, sensitive, conversions } = checker
  references.sort((left, right) => left.start - right.start)
  const compute = (node: Node) => constantOf(checker, node, source)
  const isSound = type.kind === 'bool' && problems.length + doubts.length === 0
  const outcome = isSound ? outcomeOf(tree, { types: checker.types, given, compute }) : undefined
  return { type, problems, doubts, references, sensitive, conversions, facts: factsOf(tree), outcome }
}

/** How the hint about a name begins that lacks its quotes. */
export const comparedWithText = 'it is compared with text'

export class Checker {
  readonly problems: ExpressionProblem[] = []
  readonly references: Reference[] = []
  readonly conversions = new Map<Node, 'timestamp' | 'duration'>()
  /** What works for some of the values that a part may have, and fails for others. */
  readonly doubts: ExpressionProblem[] = []
  /** Types of the parts that conditions have told apart, as they were before. */
  readonly widened = new Map<Node, Type>()
  /** Of names, fields and items. */
  readonly types = new Map<Node, Type>()
  sensitive = false
  readonly #source: string
  readonly names: Readonly<Record<string, Type>>

  /** Where the parser could not read on. */
  readonly #unread: readonly Span[]

  constructor(source: string, names: Readonly<Record<string, Type>>, unread: readonly Span[] = []) {
    this.#source = source
    this.#unread = unread
    this.names = names
  }

  problem(code: ExpressionProblemCode, message: string, { start, end }: Span, hint?: string): void {
    const known = this.problems.some(
      (each) => each.start === start && each.end === end && each.message === message,
    )
    if (!known) this.problems.push({ code, message, hint, start, end })
  }

  /**
   * Says that a part may have a type with which something does not work, where with its other types it does. Null is not meant: it is
   * a problem, see {@link mayBeNull}.
   */
  doubt(node: Node, type: Type, works: (member: Type) => boolean, why: (stray: string) => string): void {
    if (!isMixed(type)) return
    const stray = membersOf(type).filter((member) => member.kind !== 'null' && !works(member))
    if (stray.length === 0) return
    const path = this.text(node)
    const strayType = describeType(union(stray.map(unlimited)))
    const message = `${path} may be ${strayType}: ${why(strayType)}`
    const hint = hintFor(path, membersOf(type).filter(works), stray)
    this.doubts.push({ code: 'mixed_type', message, hint, start: node.start, end: node.end })
  }

  /** Says of a text that is compared that it is what a name is called: `"alert.data.x" == "bob"`. */
  doubtText(node: Node): void {
    if (node.kind !== 'literal' || typeof node.value !== 'string') return
    const [, name] = /^([A-Za-z_]\w*)(?:\.[A-Za-z_]\w*|\[\d+\])+$/.exec(node.value.slice(0, 300)) ?? []
    if (name === undefined || !Object.hasOwn(this.names, name)) return
    const message = 'in quotes it is text, and nothing is read'
    const hint = `did you mean ${node.value}?`
    this.doubts.push({ code: 'name_in_quotes', message, hint, start: node.start, end: node.end })
  }

  /** Of an unknown name that is compared with text: it was meant as text, unless it is near to a name that there is. */
  meantAsText({ name, start, end }: IdentNode, choices: readonly string[]): void {
    // These are null in other languages.
    if (/^(?:none|nil|null|undefined)$/i.test(name)) return
    for (const [at, problem] of this.problems.entries()) {
      if (problem.code !== 'unknown_name' || problem.start !== start || problem.end !== end) continue
      if (problem.hint?.startsWith('did you mean') === true && !choices.includes(name)) continue
      this.problems[at] = { ...problem, hint: `${comparedWithText}: write "${name}"` }
    }
  }

  /** Whether something is wrong inside of a part, so that its type says nothing. */
  isBroken({ start, end }: Span): boolean {
    const isInside = (span: Span): boolean => span.start >= start && span.end <= end
    return this.problems.some(isInside) || this.#unread.some(isInside)
  }

  /** The source of a part, for messages. */
  text(span: Span): string {
    return shorten(this.#source.slice(span.start, span.end))
  }

  /** The key with hyphens, read as a subtraction, of which a name is a part: `user-name` around `name` in `a.user-name`. */
  hyphenated({ start, end }: Span): string | undefined {
    const before = /\.\s*\??\s*((?:[A-Za-z_]\w*-)*)$/.exec(this.#source.slice(0, start))
    const behind = /^(?:-\w+)*/.exec(this.#source.slice(end))![0]
    if (!before || before[1] + behind === '') return undefined
    return `${before[1]}${this.#source.slice(start, end)}${behind}`
  }

  infer(node: Node, scope: Scope): Type {
    switch (node.kind) {
      case 'literal':
        return typeOfLiteral(node.value)
      case 'ident':
      case 'select':
      case 'index':
        return checkReference(this, node, scope)
      case 'has':
        return checkHas(this, node, scope)
      case 'call':
        return checkCall(this, node, scope)
      case 'list':
        return checkList(this, node, scope)
      case 'map':
        return checkMap(this, node, scope)
      case 'logic':
        return this.#logic(node, scope)
      case 'unary':
        return this.#unary(node, scope)
      case 'binary':
        return checkBinary(this, node, scope)
      case 'ternary': {
        this.condition(node.condition, scope)
        const { whenTrue, whenFalse } = factsOf(node.condition)
        return union([
          this.infer(node.whenTrue, this.knowing(scope, whenTrue)),
          this.infer(node.whenFalse, this.knowing(scope, whenFalse)),
        ])
      }
      case 'macro':
        return checkMacro(this, node, scope)
      case 'bind':
        return checkBind(this, node, scope)
      case 'bad':
        return dyn
    }
  }

  /** Infers a part that has to be a bool; `otherwise` is the hint where it is not. */
  condition(node: Node, scope: Scope, otherwise?: string): Type {
    const type = this.infer(node, scope)
    if (this.mayBeNull(node, type)) return bool
    const isBool = (member: Type): boolean => member.kind === 'bool' || member.kind === 'dyn'
    if (membersOf(type).some(isBool)) {
      this.doubt(node, type, isBool, () => 'a condition is true or false')
      return bool
    }
    const hint =
      type.kind === 'optional'
        ? 'use hasValue() or orValue(…)'
        : (otherwise ?? 'compare it with something, such as == or !=')
    this.problem('wrong_type', `expected a bool, found ${describeType(type)}`, node, hint)
    return bool
  }

  /** Reports a value that may be null where null does not work. */
  mayBeNull(node: Node, type: Type): boolean {
    if (!admitsNull(type)) return false
    const path = this.text(node)
    const message =
      node.kind === 'literal'
        ? 'null does not work here'
        : `${path} ${type.kind === 'null' ? 'is' : 'may be'} null`
    const hint = this.#orNullHint(node) ?? `check ${path} != null first`
    this.problem('nullable', message, node, type.kind === 'null' ? undefined : hint)
    return true
  }

  /** A default for what is missing is none for what is null: of `a.?b.orValue(0)`, and of `a.?b.c`, how to give one for both. */
  #orNullHint(node: Node): string | undefined {
    const given = node.kind === 'call' && node.name === 'orValue' ? node.target : undefined
    const path = this.text(given ?? node)
    const [there] = /^[\w.]*?\.\?\w+/.exec(path) ?? []
    if (there === undefined || !/^[\w.?]+$/.test(path)) return undefined
    const [asked, value] = [there, path].map((each) => each.replaceAll('.?', '.')) as [string, string]
    const [wanted, fallback] =
      node.kind === 'call' && given ? [value, node.args[0]] : [`${value}.…`, undefined]
    const otherwise = fallback ? this.text(fallback) : '…'
    return `it may be there and null: write has(${asked}) && ${value} != null ? ${wanted} : ${otherwise}`
  }

  /** The scope where these facts hold too. */
  knowing(scope: Scope, facts: readonly Fact[]): Scope {
    return facts.length === 0 ? scope : { ...scope, knowledge: scope.knowledge.and(facts) }
  }

  /** The scope where a variable hides a name. */
  hiding(scope: Scope, name: string, type: Type): Scope {
    return {
      variables: new Map([...scope.variables, [name, type]]),
      knowledge: scope.knowledge.without(name),
    }
  }

  #logic(node: LogicNode, scope: Scope): Type {
    let at = scope
    for (const term of node.terms) {
      // As other languages give a default.
      const isValue = term.kind === 'literal' || term.kind === 'list' || term.kind === 'map'
      const isDefault = node.operator === '||' && isValue && term !== node.terms[0]
      this.condition(term, at, isDefault ? 'a default is written a.?b.orValue(…)' : undefined)
      const { whenTrue, whenFalse } = factsOf(term)
      at = this.knowing(at, node.operator === '&&' ? whenTrue : whenFalse)
    }
    return bool
  }

  #unary({ operator, operand }: Node & { kind: 'unary' }, scope: Scope): Type {
    if (operator === '!') return this.condition(operand, scope)
    const type = this.infer(operand, scope)
    if (this.mayBeNull(operand, type)) return dyn
    if (type.kind === 'dyn' || isNumeric(type))
      return derived(type.kind === 'number' ? { kind: 'number', whole: type.whole } : type, [type])
    this.problem('wrong_type', `- does not work on ${describeType(widened(type))}`, operand)
    return dyn
  }
}

/** A type as it is spoken of, whatever values it is limited to. */
const unlimited = (type: Type): Type => (type.kind === 'string' ? { kind: 'string' } : type)

/** Names of types in `type(x) == …`, of those that are told apart in this way. */
const askable: Partial<Record<Type['kind'], string>> = {
  string: 'string',
  bool: 'bool',
  list: 'list',
  map: 'map',
  object: 'map',
}

function hintFor(path: string, fitting: readonly Type[], stray: readonly Type[]): string {
  const nameOf = ([only, more]: readonly Type[]) => (only && !more ? askable[only.kind] : undefined)
  const [yes, no] = [nameOf(fitting), nameOf(stray)]
  if (yes !== undefined) return `ask first: type(${path}) == ${yes}`
  return no === undefined ? 'tell the types apart with type(…) first' : `ask first: type(${path}) != ${no}`
}

function typeOfLiteral(value: Value): Type {
  if (typeof value === 'string') return { kind: 'string', values: [value], literal: true }
  if (typeof value === 'bigint') return int
  if (typeof value === 'number') return double
  return typeof value === 'boolean' ? bool : nullType
}
