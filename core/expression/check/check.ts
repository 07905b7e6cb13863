import type { ListLiteral, LogicNode, MapLiteral, AstNode } from '../parse/ast.ts'
import { checkHas, checkReference } from './check-access.ts'
import { checkBinary } from './check-binary.ts'
import { checkCall } from './calls/check-call.ts'
import { checkConstants, constantOf } from './check-constants.ts'
import { checkBind, checkMacro } from './calls/check-macros.ts'
import { Checker, type TypeScope } from './checker.ts'
import type { ExpressionProblem, Span } from '../values/errors.ts'
import { factsOf, Knowledge } from './narrowing.ts'
import { withoutValues } from './operator-hints.ts'
import type { Checked } from '../evaluate/program.ts'
import { outcomeOf } from './static-truth.ts'
import {
  bool,
  derived,
  describeType,
  double,
  dyn,
  int,
  isNumeric,
  list,
  map,
  nullType,
  union,
  type Property,
  type Type,
} from '../types/types.ts'
import type { Value } from '../values/values.ts'
import type { Fact, Facts } from './facts.ts'

interface Findings {
  readonly problems: readonly ExpressionProblem[]
  readonly doubts: readonly ExpressionProblem[]
  readonly facts: Facts
  /** See {@link outcomeOf}; only for conditions without problems. */
  readonly outcome: 'always' | 'never' | undefined
}

/**
 * Infers the type of every part of an expression and collects problems: certain errors, and unchecked
 * optional fields and nulls. Where types are unknown, checks happen at run time.
 */
export function check(
  tree: AstNode,
  source: string,
  names: Readonly<Record<string, Type>>,
  given: readonly Fact[],
  unread: readonly Span[] = [],
): Checked & Findings {
  const checker = new Checker(source, names, unread, infer)
  const type = checker.infer(tree, { variables: new Map(), knowledge: new Knowledge(given) })
  checkConstants(checker, tree, source)
  const { problems, doubts, references, sensitive, conversions } = checker
  references.sort((left, right) => left.start - right.start)
  const compute = (node: AstNode) => constantOf(checker, node, source)
  const isSound = type.kind === 'bool' && problems.length + doubts.length === 0
  const outcome = isSound ? outcomeOf(tree, { types: checker.types, given, compute }) : undefined
  return { type, problems, doubts, references, sensitive, conversions, facts: factsOf(tree), outcome }
}

/** Infers the type of a part and reports its problems. */
export function infer(checker: Checker, node: AstNode, scope: TypeScope): Type {
  switch (node.kind) {
    case 'literal':
      return typeOfLiteral(node.value)
    case 'ident':
    case 'select':
    case 'index':
      return checkReference(checker, node, scope)
    case 'has':
      return checkHas(checker, node, scope)
    case 'call':
      return checkCall(checker, node, scope)
    case 'list':
      return checkList(checker, node, scope)
    case 'map':
      return checkMap(checker, node, scope)
    case 'logic':
      return inferLogic(checker, node, scope)
    case 'unary':
      return inferUnary(checker, node, scope)
    case 'binary':
      return checkBinary(checker, node, scope)
    case 'ternary': {
      checker.condition(node.condition, scope)
      const { whenTrue, whenFalse } = factsOf(node.condition)
      return union([
        checker.infer(node.whenTrue, checker.knowing(scope, whenTrue)),
        checker.infer(node.whenFalse, checker.knowing(scope, whenFalse)),
      ])
    }
    case 'macro':
      return checkMacro(checker, node, scope)
    case 'bind':
      return checkBind(checker, node, scope)
    case 'bad':
      return dyn
  }
}

function inferLogic(checker: Checker, node: LogicNode, scope: TypeScope): Type {
  let at = scope
  for (const term of node.terms) {
    // Other languages write defaults this way.
    const isValue = term.kind === 'literal' || term.kind === 'list' || term.kind === 'map'
    const isDefault = node.operator === '||' && isValue && term !== node.terms[0]
    checker.condition(term, at, isDefault ? 'write a default as a.?b.orValue(…)' : undefined)
    const { whenTrue, whenFalse } = factsOf(term)
    at = checker.knowing(at, node.operator === '&&' ? whenTrue : whenFalse)
  }
  return bool
}

function inferUnary(
  checker: Checker,
  { operator, operand }: AstNode & { kind: 'unary' },
  scope: TypeScope,
): Type {
  if (operator === '!') return checker.condition(operand, scope)
  const type = checker.infer(operand, scope)
  if (checker.mayBeNull(operand, type)) return dyn
  if (type.kind === 'dyn' || isNumeric(type))
    return derived(type.kind === 'number' ? { kind: 'number', whole: type.whole } : type, [type])
  checker.problem('wrong_type', `- does not work on ${describeType(withoutValues(type))}`, operand)
  return dyn
}

function typeOfLiteral(value: Value): Type {
  if (typeof value === 'string') return { kind: 'string', values: [value], literal: true }
  if (typeof value === 'bigint') return int
  if (typeof value === 'number') return double
  return typeof value === 'boolean' ? bool : nullType
}

/** The type of `[…]`. */
function checkList(checker: Checker, node: ListLiteral, scope: TypeScope): Type {
  if (node.elements.length === 0) return list(dyn)
  return list(
    union(
      node.elements.map(({ value, optional }) => {
        const type = checker.infer(value, scope)
        return optional ? unwrapped(checker, value, type) : type
      }),
    ),
  )
}

function unwrapped(checker: Checker, node: AstNode, type: Type): Type {
  if (type.kind === 'optional') return type.value
  if (type.kind !== 'dyn') {
    checker.problem('wrong_type', `? needs an optional, found ${describeType(type)}`, node, 'leave out the ?')
  }
  return dyn
}

/** The type of `{…}`: an object when all its keys are literal text. */
function checkMap(checker: Checker, node: MapLiteral, scope: TypeScope): Type {
  const properties = new Map<string, Property>()
  const keys: Type[] = []
  const values: Type[] = []
  for (const { key, value, optional } of node.entries) {
    const keyType = checker.infer(key, scope)
    const given = checker.infer(value, scope)
    const type = optional ? unwrapped(checker, value, given) : given
    keys.push(keyType)
    values.push(type)
    if (!['string', 'int', 'bool', 'dyn', 'number', 'union'].includes(keyType.kind)) {
      checker.problem('wrong_type', `${describeType(keyType)} cannot be the key of a map`, key)
    }
    if (key.kind !== 'literal' || typeof key.value !== 'string') continue
    if (properties.has(key.value)) checker.problem('wrong_arguments', `duplicate key '${key.value}'`, key)
    properties.set(key.value, { type, optional })
  }
  const isObject = properties.size === node.entries.length
  return isObject ? { kind: 'object', properties, additional: undefined } : map(union(values), union(keys))
}
