import { childrenOf, type Node } from './parse/ast.ts'
import { maxHeight, maxNodes, maxSourceBytes } from './values/budget.ts'
import { Checker, type Scope } from './check/checker.ts'
import { allFunctions } from './functions/standard-library.ts'
import type { Parameter } from './functions/function.ts'
import { Knowledge } from './check/narrowing.ts'
import { parse } from './parse/parser.ts'
import { membersOf, type Type } from './types/types.ts'
import type { Fact } from './check/facts.ts'

/** An expression taken apart, for editors: also one that is not finished. */
export interface InspectedExpression {
  readonly tree: Node
  /** The parts around an offset, from the innermost to the whole. */
  around(offset: number): readonly Node[]
  /** The type of a part, as far as it is known. */
  typeOf(node: Node): Type
  /** Variables of macros that are visible in a part, with their types. */
  variablesOf(node: Node): ReadonlyMap<string, Type>
}

/** Undefined for an expression that is too large to be one. */
export function inspectExpression(
  source: string,
  names: Readonly<Record<string, Type>>,
  given: readonly Fact[] = [],
): InspectedExpression | undefined {
  if (source.length > maxSourceBytes) return undefined
  const tree = parse(source, [])
  const parents = parentsIn(tree)
  if (parents === undefined) return undefined
  const checker = new Recorder(source, names)
  const top: Scope = { variables: new Map(), knowledge: new Knowledge(given) }
  checker.infer(tree, top)
  const scopeOf = (node: Node): Scope => {
    for (let at: Node | undefined = node; at !== undefined; at = parents.get(at)) {
      const scope = checker.scopes.get(at)
      if (scope) return scope
    }
    return top
  }
  return {
    tree,
    around(offset) {
      const found: Node[] = []
      let at: Node | undefined = tree
      while (at !== undefined) {
        found.unshift(at)
        at = childrenOf(at).find(({ start, end }) => start <= offset && offset <= end)
      }
      return found
    },
    typeOf: (node) => new Checker(source, names).infer(node, scopeOf(node)),
    variablesOf: (node) => scopeOf(node).variables,
  }
}

/** Remembers what was known where. */
class Recorder extends Checker {
  readonly scopes = new Map<Node, Scope>()

  override infer(node: Node, scope: Scope): Type {
    this.scopes.set(node, scope)
    return super.infer(node, scope)
  }
}

/** Undefined where the tree is larger than one that could be compiled. */
function parentsIn(tree: Node): ReadonlyMap<Node, Node> | undefined {
  const parents = new Map<Node, Node>()
  const open: (readonly [Node, number])[] = [[tree, 1]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, height] = next
    if (height > maxHeight || parents.size > maxNodes) return undefined
    for (const child of childrenOf(node)) {
      parents.set(child, node)
      open.push([child, height + 1])
    }
  }
  return parents
}

const kinds: Readonly<Record<Parameter, readonly Type['kind'][] | 'all'>> = {
  any: 'all',
  value: 'all',
  string: ['string'],
  strings: ['list'],
  number: ['number', 'int', 'double'],
  int: ['number', 'int'],
  bool: ['bool'],
  list: ['list'],
  map: ['object', 'map'],
  timestamp: ['timestamp'],
  duration: ['duration'],
  optional: ['optional'],
}

/** Names of the functions that can be called as `value.name(…)`. */
export function methodsOf(type: Type): readonly string[] {
  const members = membersOf(type)
  const isTime = members.some(
    (each) => each.kind === 'string' && /^(?:date-time|duration)$/.test(each.format ?? ''),
  )
  const takes = (parameter: Parameter | undefined): boolean => {
    const accepted = parameter === undefined ? [] : kinds[parameter]
    if (accepted === 'all' || members.some(({ kind }) => kind === 'dyn')) return true
    if (isTime && (parameter === 'timestamp' || parameter === 'duration')) return true
    return members.some(({ kind }) => accepted.includes(kind))
  }
  return allFunctions
    .filter(({ receiver, overloads }) => receiver && overloads.some(({ parameters }) => takes(parameters[0])))
    .map(({ name }) => name)
}

/** Names of the functions that are called by themselves, with their namespace. */
export const globalFunctions = (): readonly string[] =>
  allFunctions.filter(({ receiver }) => !receiver).map(({ name }) => name)
