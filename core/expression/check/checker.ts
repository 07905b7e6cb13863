import type { IdentNode, AstNode } from '../parse/ast.ts'
import type { ExpressionProblem, ExpressionProblemCode, Span } from '../values/errors.ts'
import { isMixed } from './narrow-union.ts'
import type { Knowledge } from './narrowing.ts'
import type { Reference } from '../evaluate/program.ts'
import { shorten } from '../values/time.ts'
import { admitsNull, bool, describeType, membersOf, union, type Type } from '../types/types.ts'
import type { Fact } from './facts.ts'

/** The facts and variables at a place in the expression. */
export interface TypeScope {
  /** Variables of macros and of `cel.bind`, which hide the names. */
  readonly variables: ReadonlyMap<string, Type>
  readonly knowledge: Knowledge
}

/** The start of the hint for a name without quotes. */
export const comparedWithText = 'it is compared with text'

export class Checker {
  readonly problems: ExpressionProblem[] = []
  readonly references: Reference[] = []
  readonly conversions = new Map<AstNode, 'timestamp' | 'duration'>()
  /** Operations that work for some possible types of a part and fail for others. */
  readonly doubts: ExpressionProblem[] = []
  /** The types of narrowed parts before they were narrowed. */
  readonly widened = new Map<AstNode, Type>()
  /** Types of names, fields and items. */
  readonly types = new Map<AstNode, Type>()
  sensitive = false
  readonly #source: string
  readonly names: Readonly<Record<string, Type>>

  /** Places where the parser gave up. */
  readonly #unread: readonly Span[]

  /** Infers the type of a part. The function for each kind of node calls it for the parts inside. */
  readonly infer: (node: AstNode, scope: TypeScope) => Type

  constructor(
    source: string,
    names: Readonly<Record<string, Type>>,
    unread: readonly Span[],
    infer: (checker: Checker, node: AstNode, scope: TypeScope) => Type,
  ) {
    this.#source = source
    this.#unread = unread
    this.names = names
    this.infer = (node, scope) => infer(this, node, scope)
  }

  problem(code: ExpressionProblemCode, message: string, { start, end }: Span, hint?: string): void {
    const known = this.problems.some(
      (each) => each.start === start && each.end === end && each.message === message,
    )
    if (!known) this.problems.push({ code, message, hint, start, end })
  }

  /**
   * Reports an operation that does not work for one of the types of a part, but for others. Null is a problem
   * instead, see {@link mayBeNull}.
   */
  doubt(node: AstNode, type: Type, works: (member: Type) => boolean, why: (stray: string) => string): void {
    if (!isMixed(type)) return
    const stray = membersOf(type).filter((member) => member.kind !== 'null' && !works(member))
    if (stray.length === 0) return
    const path = this.text(node)
    const strayType = describeType(union(stray.map(unlimited)))
    const message = `${path} may be ${strayType}: ${why(strayType)}`
    const hint = hintFor(path, membersOf(type).filter(works), stray)
    this.doubts.push({ code: 'mixed_type', message, hint, start: node.start, end: node.end })
  }

  /** Reports a quoted path in a comparison: `"alert.data.x" == "bob"`. */
  doubtText(node: AstNode): void {
    if (node.kind !== 'literal' || typeof node.value !== 'string') return
    const [, name] = /^([A-Za-z_]\w*)(?:\.[A-Za-z_]\w*|\[\d+\])+$/.exec(node.value.slice(0, 300)) ?? []
    if (name === undefined || !Object.hasOwn(this.names, name)) return
    const message = 'in quotes this is text, not an expression'
    const hint = `did you mean ${node.value}?`
    this.doubts.push({ code: 'name_in_quotes', message, hint, start: node.start, end: node.end })
  }

  /** An unknown name compared with text was probably meant as text, unless a known name is similar. */
  meantAsText({ name, start, end }: IdentNode, choices: readonly string[]): void {
    // Other languages use these for null.
    if (/^(?:none|nil|null|undefined)$/i.test(name)) return
    for (const [at, problem] of this.problems.entries()) {
      if (problem.code !== 'unknown_name' || problem.start !== start || problem.end !== end) continue
      if (problem.hint?.startsWith('did you mean') === true && !choices.includes(name)) continue
      this.problems[at] = { ...problem, hint: `${comparedWithText}: write "${name}"` }
    }
  }

  /** Whether a part contains a problem, so that its type is unreliable. */
  isBroken({ start, end }: Span): boolean {
    const isInside = (span: Span): boolean => span.start >= start && span.end <= end
    return this.problems.some(isInside) || this.#unread.some(isInside)
  }

  /** The source of a part, for messages. */
  text(span: Span): string {
    return shorten(this.#source.slice(span.start, span.end))
  }

  /**
   * The hyphenated key, parsed as a subtraction, that contains a name: `user-name` for `name` in
   * `a.user-name`.
   */
  hyphenated({ start, end }: Span): string | undefined {
    const before = /\.\s*\??\s*((?:[A-Za-z_]\w*-)*)$/.exec(this.#source.slice(0, start))
    const behind = /^(?:-\w+)*/.exec(this.#source.slice(end))![0]
    if (!before || before[1] + behind === '') return undefined
    return `${before[1]}${this.#source.slice(start, end)}${behind}`
  }

  /** Infers a part that must be a bool; `otherwise` is the hint if it is not. */
  condition(node: AstNode, scope: TypeScope, otherwise?: string): Type {
    const type = this.infer(node, scope)
    if (this.mayBeNull(node, type)) return bool
    const isBool = (member: Type): boolean => member.kind === 'bool' || member.kind === 'dyn'
    if (membersOf(type).some(isBool)) {
      this.doubt(node, type, isBool, () => 'a condition must be a bool')
      return bool
    }
    const hint =
      type.kind === 'optional'
        ? 'use hasValue() or orValue(…)'
        : (otherwise ?? 'compare it with something, such as == or !=')
    this.problem('wrong_type', `expected a bool, found ${describeType(type)}`, node, hint)
    return bool
  }

  /** Reports a value that may be null where null is not allowed; `otherwise` is the hint. */
  mayBeNull(node: AstNode, type: Type, otherwise?: string): boolean {
    if (!admitsNull(type)) return false
    const path = this.text(node)
    const message =
      node.kind === 'literal'
        ? 'null is not allowed here'
        : `${path} ${type.kind === 'null' ? 'is' : 'may be'} null`
    const hint = otherwise ?? this.#orNullHint(node) ?? `check ${path} != null first`
    this.problem('nullable', message, node, type.kind === 'null' ? undefined : hint)
    return true
  }

  /**
   * `orValue` replaces a missing value, not null: shows how to handle both for `a.?b.orValue(0)` and
   * `a.?b.c`.
   */
  #orNullHint(node: AstNode): string | undefined {
    const given = node.kind === 'call' && node.name === 'orValue' ? node.target : undefined
    const path = this.text(given ?? node)
    const [there] = /^[\w.]*?\.\?\w+/.exec(path) ?? []
    if (there === undefined || !/^[\w.?]+$/.test(path)) return undefined
    if (node.kind !== 'call' || !given) return `it may exist and be null: write ${path}.?…`
    const [asked, value] = [there, path].map((each) => each.replaceAll('.?', '.')) as [string, string]
    const otherwise = node.args[0] ? this.text(node.args[0]) : '…'
    return `it may exist and be null: write has(${asked}) && ${value} != null ? ${value} : ${otherwise}`
  }

  /** The scope with these additional facts. */
  knowing(scope: TypeScope, facts: readonly Fact[]): TypeScope {
    return facts.length === 0 ? scope : { ...scope, knowledge: scope.knowledge.and(facts) }
  }

  /** The scope where a variable hides a name. */
  hiding(scope: TypeScope, name: string, type: Type): TypeScope {
    return {
      variables: new Map([...scope.variables, [name, type]]),
      knowledge: scope.knowledge.without(name),
    }
  }
}

/** The type for messages, without its enumeration. */
const unlimited = (type: Type): Type => (type.kind === 'string' ? { kind: 'string' } : type)

/** Names of the types that `type(x) == …` can distinguish. */
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
  if (yes !== undefined) return `check first: type(${path}) == ${yes}`
  return no === undefined ? 'distinguish the types with type(…) first' : `check first: type(${path}) != ${no}`
}
