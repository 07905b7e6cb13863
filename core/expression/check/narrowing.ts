import type { AstNode } from '../parse/ast.ts'
import { narrowUnion, type PathFact } from './narrow-union.ts'
import { membersOf, union, type Type } from '../types/types.ts'
import { typeValues } from '../values/values.ts'
import type { Fact, Facts, Path, PathPart } from './facts.ts'

const nothing: Facts = { whenTrue: [], whenFalse: [] }

/** The path of a chain of names, fields and indexes; undefined for other nodes. */
export function accessPath(node: AstNode): Path | undefined {
  if (node.kind === 'ident') return [node.name]
  if (node.kind !== 'select' && node.kind !== 'index') return undefined
  const path = accessPath(node.operand)
  const part = path && (node.kind === 'select' ? node.field : partOf(node.index))
  return part === undefined ? undefined : [...path!, part]
}

function partOf(index: AstNode): PathPart | undefined {
  if (index.kind !== 'literal') return accessPath(index)
  return typeof index.value === 'string' || typeof index.value === 'bigint' ? index.value : undefined
}

/** Whether a fact mentions a name, also in a computed index. */
export const isAbout = ({ path }: Fact, name: string): boolean => mentions(path, name)

const mentions = (path: Path, name: string): boolean =>
  path[0] === name || path.some((part) => typeof part === 'object' && mentions(part, name))

/** The facts that follow from a condition if it is true, and if it is false. */
export function factsOf(node: AstNode): Facts {
  if (node.kind === 'select') return ofStep(accessPath(node))
  if (node.kind === 'has') return whenTrue(accessPath(node.field), 'present')
  if (node.kind === 'binary') return ofComparison(node)
  if (node.kind === 'unary') {
    const { whenTrue: yes, whenFalse: no } = factsOf(node.operand)
    return node.operator === '!' ? { whenTrue: no, whenFalse: yes } : nothing
  }
  if (node.kind === 'logic') {
    const terms = node.terms.map(factsOf)
    return node.operator === '&&'
      ? { whenTrue: terms.flatMap((term) => term.whenTrue), whenFalse: [] }
      : { whenTrue: [], whenFalse: terms.flatMap((term) => term.whenFalse) }
  }
  // `a.?b.hasValue()`
  const isHasValue = node.kind === 'call' && node.name === 'hasValue' && node.target
  return isHasValue ? whenTrue(accessPath(isHasValue), 'present') : nothing
}

function ofComparison(node: AstNode & { kind: 'binary' }): Facts {
  if (node.operator === 'in') return ofMembership(node)
  if (node.operator !== '==' && node.operator !== '!=') return nothing
  const byType = ofType(node)
  if (byType) return node.operator === '==' ? byType : opposite(byType)
  const [value, other] = node.left.kind === 'literal' ? [node.right, node.left] : [node.left, node.right]
  const path = accessPath(value)
  if (!path || other.kind !== 'literal') return nothing
  // Equal to a literal other than null means not null, and so does unequal to null.
  const facts =
    typeof other.value === 'string' ? ofTexts(path, [other.value]) : ofLiteral(path, other.value === null)
  return node.operator === '==' ? facts : opposite(facts)
}

const opposite = ({ whenTrue: yes, whenFalse: no }: Facts): Facts => ({ whenTrue: no, whenFalse: yes })

function ofLiteral(path: Path, isNull: boolean): Facts {
  const facts: readonly Fact[] = [{ path, is: 'not_null' }]
  return isNull ? { whenTrue: [], whenFalse: facts } : { whenTrue: facts, whenFalse: [] }
}

const ofTexts = (path: Path, values: readonly string[]): Facts => ({
  whenTrue: [
    { path, is: 'not_null' },
    { path, is: 'one_of', values },
  ],
  whenFalse: [{ path, is: 'none_of', values }],
})

/** `"key" in map`, and `value in ["a", "b"]`. */
function ofMembership(node: AstNode & { kind: 'binary' }): Facts {
  const container = accessPath(node.right)
  const key = node.left.kind === 'literal' ? node.left.value : undefined
  if (container) return typeof key === 'string' ? whenTrue([...container, key], 'present') : nothing
  const path = accessPath(node.left)
  const texts = node.right.kind === 'list' ? node.right.elements.map(({ value }) => textOf(value)) : []
  const values = texts.filter((text) => text !== undefined)
  return path && values.length > 0 && values.length === texts.length ? ofTexts(path, values) : nothing
}

const textOf = (node: AstNode): string | undefined =>
  node.kind === 'literal' && typeof node.value === 'string' ? node.value : undefined

/** `type(value) == string`. */
function ofType({ left, right }: AstNode & { kind: 'binary' }): Facts | undefined {
  const [call, name] = left.kind === 'call' ? [left, right] : [right, left]
  const isAsked =
    call.kind === 'call' && call.name === 'type' && name.kind === 'ident' && typeValues.has(name.name)
  const path = isAsked && call.args[0] && accessPath(call.args[0])
  if (!path) return undefined
  return {
    whenTrue: [{ path, is: 'of_type', type: name.name }],
    whenFalse: [{ path, is: 'not_of_type', type: name.name }],
  }
}

/** `steps.x.ok`: a completed step has its output and items. */
function ofStep(path: Path | undefined): Facts {
  return path && isStep(path, 'ok') ? { whenTrue: resultsOf(path), whenFalse: [] } : nothing
}

const stepStatuses = ['completed', 'failed', 'skipped']

const isStep = (path: Path, field: string): boolean =>
  path.length === 3 && path[0] === 'steps' && path[2] === field

const resultsOf = (path: Path): readonly Fact[] =>
  ['output', 'items'].map((name) => ({ path: [...path.slice(0, 2), name], is: 'present' as const }))

function whenTrue(path: Path | undefined, is: 'present' | 'not_null'): Facts {
  return path ? { whenTrue: [{ path, is }], whenFalse: [] } : nothing
}

/** A set of facts, with the queries of the checker. */
export class Knowledge {
  readonly #facts: readonly Fact[]

  constructor(facts: readonly Fact[]) {
    this.#facts = facts
  }

  and(facts: readonly Fact[]): Knowledge {
    return facts.length === 0 ? this : new Knowledge([...this.#facts, ...facts])
  }

  /** Without facts about a name that a variable hides. */
  without(name: string): Knowledge {
    return new Knowledge(this.#facts.filter((fact) => !isAbout(fact, name)))
  }

  isPresent(path: Path): boolean {
    return (
      this.#facts.some((fact) => isThere(fact) && startsWith(fact.path, path)) || this.#isResultOfStep(path)
    )
  }

  /** Whether the status of a step implies this part, because every other status is ruled out. */
  #isResultOfStep(path: Path): boolean {
    const status = ['output', 'items'].some((name) => isStep(path, name))
      ? 'completed'
      : isStep(path, 'error') && 'failed'
    if (status === false) return false
    const seen = seenFrom(this.#facts, [...path.slice(0, 2), 'status'])
    const possible = stepStatuses.filter((each) =>
      seen.every(({ fact }) =>
        fact.is === 'one_of'
          ? fact.values.includes(each)
          : fact.is !== 'none_of' || !fact.values.includes(each),
      ),
    )
    return possible.length === 1 && possible[0] === status
  }

  /** A value with a present field cannot be null. */
  isNotNull(path: Path): boolean {
    return this.#facts.some(
      (fact) =>
        isThere(fact) &&
        startsWith(fact.path, path) &&
        (fact.is === 'not_null' || fact.path.length > path.length),
    )
  }

  /** The type of the value at a path, without the members of a union that the facts rule out. */
  narrow(path: Path, type: Type): Type {
    return type.kind === 'union' ? narrowUnion(type, seenFrom(this.#facts, path)) : type
  }
}

const isThere = ({ is }: Fact): boolean => is === 'present' || is === 'not_null'

const seenFrom = (facts: readonly Fact[], path: Path): readonly PathFact[] =>
  facts
    .filter((fact) => startsWith(fact.path, path))
    .map((fact) => ({ fact, rest: fact.path.slice(path.length) }))

const startsWith = (path: Path, start: Path): boolean =>
  start.length <= path.length && start.every((part, at) => isSamePart(part, path[at]!))

function isSamePart(left: PathPart, right: PathPart): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right
  return left.length === right.length && startsWith(left, right)
}

/** The narrowed type of a variable: the type of the values that `filter` keeps. */
export function refine(type: Type, variable: string, facts: readonly Fact[]): Type {
  return seenFrom(facts, [variable]).reduce(refineBy, type)
}

function refineBy(type: Type, seen: PathFact): Type {
  const { fact, rest } = seen
  if (type.kind === 'union') {
    const narrowed = narrowUnion(type, [seen])
    if (rest.length === 0) return narrowed
    return union(membersOf(narrowed).map((member) => refineBy(member, seen)))
  }
  const [field, ...inside] = rest
  if (type.kind !== 'object' || typeof field !== 'string') return type
  const property = type.properties.get(field)
  if (!property) return type
  const optional = isThere(fact) ? false : property.optional
  const refined = { ...property, type: refineBy(property.type, { fact, rest: inside }), optional }
  return { ...type, properties: new Map([...type.properties, [field, refined]]) }
}
