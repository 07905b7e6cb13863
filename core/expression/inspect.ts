import { childrenOf, type AstNode } from './parse/ast.ts'
import { maxHeight, maxExpressionNodes, maxExpressionBytes } from './values/budget.ts'
import { infer } from './check/check.ts'
import { Checker, type TypeScope } from './check/checker.ts'
import { allFunctions } from './functions/standard-library.ts'
import type { ParameterType } from './functions/function.ts'
import { Knowledge } from './check/narrowing.ts'
import { parse } from './parse/parser.ts'
import { membersOf, type Type } from './types/types.ts'
import type { Fact } from './check/facts.ts'

/** An analyzed expression for editors; it may be incomplete. */
export interface InspectedExpression {
  readonly tree: AstNode
  /** The nodes around an offset, innermost first. */
  around(offset: number): readonly AstNode[]
  /** The type of a part, as far as it is known. */
  typeOf(node: AstNode): Type
  /** Variables of macros that are visible in a part, with their types. */
  variablesOf(node: AstNode): ReadonlyMap<string, Type>
}

/** Returns undefined for an expression beyond the size limits. */
export function inspectExpression(
  source: string,
  names: Readonly<Record<string, Type>>,
  given: readonly Fact[] = [],
): InspectedExpression | undefined {
  if (source.length > maxExpressionBytes) return undefined
  const tree = parse(source, [])
  const parents = parentsIn(tree)
  if (parents === undefined) return undefined
  const scopes = new Map<AstNode, TypeScope>()
  const recorder = new Checker(source, names, [], (checker, node, scope) => {
    scopes.set(node, scope)
    return infer(checker, node, scope)
  })
  const top: TypeScope = { variables: new Map(), knowledge: new Knowledge(given) }
  recorder.infer(tree, top)
  const scopeOf = (node: AstNode): TypeScope => {
    for (let at: AstNode | undefined = node; at !== undefined; at = parents.get(at)) {
      const scope = scopes.get(at)
      if (scope) return scope
    }
    return top
  }
  return {
    tree,
    around(offset) {
      const found: AstNode[] = []
      let at: AstNode | undefined = tree
      while (at !== undefined) {
        found.unshift(at)
        at = childrenOf(at).find(({ start, end }) => start <= offset && offset <= end)
      }
      return found
    },
    typeOf: (node) => new Checker(source, names, [], infer).infer(node, scopeOf(node)),
    variablesOf: (node) => scopeOf(node).variables,
  }
}

/** Undefined if the tree exceeds the limits of the compiler. */
function parentsIn(tree: AstNode): ReadonlyMap<AstNode, AstNode> | undefined {
  const parents = new Map<AstNode, AstNode>()
  const open: (readonly [AstNode, number])[] = [[tree, 1]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, height] = next
    if (height > maxHeight || parents.size > maxExpressionNodes) return undefined
    for (const child of childrenOf(node)) {
      parents.set(child, node)
      open.push([child, height + 1])
    }
  }
  return parents
}

const kinds: Readonly<Record<ParameterType, readonly Type['kind'][] | 'all'>> = {
  any: 'all',
  value: 'all',
  string: ['string'],
  strings: ['list'],
  numbers: ['list'],
  summable: ['list'],
  ordered: ['list'],
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
  const takes = (parameter: ParameterType | undefined): boolean => {
    const accepted = parameter === undefined ? [] : kinds[parameter]
    if (accepted === 'all' || members.some(({ kind }) => kind === 'dyn')) return true
    if (isTime && (parameter === 'timestamp' || parameter === 'duration')) return true
    return members.some(({ kind }) => accepted.includes(kind))
  }
  return allFunctions
    .filter(({ receiver, overloads }) => receiver && overloads.some(({ parameters }) => takes(parameters[0])))
    .map(({ name }) => name)
}

/** Names of the global functions, with their namespace. */
export const globalFunctions = (): readonly string[] =>
  allFunctions.filter(({ receiver }) => !receiver).map(({ name }) => name)
