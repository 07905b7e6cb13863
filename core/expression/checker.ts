import type {
  BindNode,
  HasNode,
  IdentNode,
  IndexNode,
  ListNode,
  LogicNode,
  MacroNode,
  MapNode,
  Node,
  SelectNode,
} from './ast.ts'
import { checkBinary } from './check-binary.ts'
import { checkCall } from './check-call.ts'
import { isSensitive, selectField, type Access } from './check-fields.ts'
import type { ExpressionProblem, ExpressionProblemCode, Span } from './errors.ts'
import { factsOf, Knowledge, pathOf, refine, type Fact, type Facts } from './narrowing.ts'
import type { Checked, Reference } from './program.ts'
import { suggest } from './suggest.ts'
import { shorten } from './time.ts'
import {
  admitsNull,
  bool,
  describeType,
  double,
  dyn,
  int,
  isNumeric,
  list,
  map,
  membersOf,
  nullType,
  optionalOf,
  string,
  typeType,
  union,
  withoutNull,
  type Property,
  type Type,
} from './types.ts'
import { typeValues } from './values.ts'

/** What is known at a place in the expression. */
export interface Scope {
  /** Variables of macros and of `cel.bind`, which hide the names. */
  readonly variables: ReadonlyMap<string, Type>
  readonly knowledge: Knowledge
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
): Checked & { readonly problems: readonly ExpressionProblem[]; readonly facts: Facts } {
  const checker = new Checker(source, names)
  const type = checker.infer(tree, { variables: new Map(), knowledge: new Knowledge(given) })
  const { problems, references, sensitive, conversions } = checker
  references.sort((left, right) => left.start - right.start)
  return { type, problems, references, sensitive, conversions, facts: factsOf(tree) }
}

export class Checker {
  readonly problems: ExpressionProblem[] = []
  readonly references: Reference[] = []
  readonly conversions = new Map<Node, 'timestamp' | 'duration'>()
  sensitive = false
  readonly #source: string
  readonly #names: Readonly<Record<string, Type>>

  constructor(source: string, names: Readonly<Record<string, Type>>) {
    this.#source = source
    this.#names = names
  }

  problem(code: ExpressionProblemCode, message: string, { start, end }: Span, hint?: string): void {
    const known = this.problems.some(
      (each) => each.start === start && each.end === end && each.message === message,
    )
    if (!known) this.problems.push({ code, message, hint, start, end })
  }

  /** The source of a part, for messages. */
  text(span: Span): string {
    return shorten(this.#source.slice(span.start, span.end))
  }

  infer(node: Node, scope: Scope): Type {
    switch (node.kind) {
      case 'literal':
        return typeOfLiteral(node.value)
      case 'ident':
      case 'select':
      case 'index':
        return this.#reference(node, scope)
      case 'has':
        return this.#has(node, scope)
      case 'call':
        return checkCall(this, node, scope)
      case 'list':
        return this.#list(node, scope)
      case 'map':
        return this.#map(node, scope)
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
          this.infer(node.then, this.#knowing(scope, whenTrue)),
          this.infer(node.otherwise, this.#knowing(scope, whenFalse)),
        ])
      }
      case 'macro':
        return this.#macro(node, scope)
      case 'bind':
        return this.#bind(node, scope)
      case 'bad':
        return dyn
    }
  }

  /** Infers a part that has to be a bool. */
  condition(node: Node, scope: Scope): Type {
    const type = this.infer(node, scope)
    if (this.mayBeNull(node, type, scope)) return bool
    if (membersOf(type).some((member) => member.kind === 'bool' || member.kind === 'dyn')) return bool
    const hint =
      type.kind === 'optional'
        ? 'use hasValue() or orValue(…)'
        : 'compare it with something, such as == or !='
    this.problem('wrong_type', `expected a bool, found ${describeType(type)}`, node, hint)
    return bool
  }

  /** Reports a value that may be null where null does not work. */
  mayBeNull(node: Node, type: Type, _scope: Scope): boolean {
    if (!admitsNull(type)) return false
    const path = this.text(node)
    const message = type.kind === 'null' ? `${path} is null` : `${path} may be null`
    this.problem('nullable', message, node, type.kind === 'null' ? undefined : `check ${path} != null first`)
    return true
  }

  #knowing(scope: Scope, facts: readonly Fact[]): Scope {
    return facts.length === 0 ? scope : { ...scope, knowledge: scope.knowledge.and(facts) }
  }

  #hiding(scope: Scope, name: string, type: Type): Scope {
    return {
      variables: new Map([...scope.variables, [name, type]]),
      knowledge: scope.knowledge.without(name),
    }
  }

  /** A chain of names, fields and indexes, as a whole. */
  #reference(node: IdentNode | SelectNode | IndexNode, scope: Scope): Type {
    const type = this.#access(node, scope)
    this.#record(node, scope, node.kind !== 'ident' && node.optional)
    for (const member of membersOf(type)) {
      if (member.kind === 'timestamp' || member.kind === 'duration') this.conversions.set(node, member.kind)
    }
    if (isSensitive(type)) this.sensitive = true
    return type
  }

  #record(node: Node, scope: Scope, guarded: boolean): void {
    const path: string[] = []
    let at = node
    while (at.kind === 'select' || at.kind === 'index') {
      const field = at.kind === 'select' ? at.field : at.index.kind === 'literal' ? at.index.value : undefined
      // What lies behind a computed key, or behind a place in a list, has no static path.
      if (typeof field === 'string') path.unshift(field)
      else path.length = 0
      at = at.operand
    }
    if (at.kind !== 'ident' || scope.variables.has(at.name)) return
    if (!Object.hasOwn(this.#names, at.name)) return
    this.references.push({ root: at.name, path, guarded, start: node.start, end: node.end })
  }

  /** The type of a chain without recording it: only its end is a reference. */
  #access(node: Node, scope: Scope): Type {
    if (node.kind === 'ident') return this.#ident(node, scope)
    if (node.kind === 'select') {
      const container = this.#access(node.operand, scope)
      return this.#known(
        node,
        this.field(node, container, scope, node.optional ? 'optional' : 'plain'),
        scope,
      )
    }
    if (node.kind === 'index') return this.#known(node, this.#index(node, scope), scope)
    return this.infer(node, scope)
  }

  #known(node: Node, type: Type, scope: Scope): Type {
    const path = pathOf(node)
    return path && admitsNull(type) && scope.knowledge.isNotNull(path) ? withoutNull(type) : type
  }

  #ident({ name, start, end }: IdentNode, scope: Scope): Type {
    const variable = scope.variables.get(name)
    if (variable) return this.#known({ kind: 'ident', name, start, end }, variable, scope)
    if (Object.hasOwn(this.#names, name)) {
      return this.#known({ kind: 'ident', name, start, end }, this.#names[name]!, scope)
    }
    if (typeValues.has(name)) return typeType
    const near = suggest(name, [...scope.variables.keys(), ...Object.keys(this.#names)])
    const hint = near === undefined ? `text is written in quotes: '${name}'` : `did you mean ${near}?`
    this.problem('unknown_name', `there is no '${name}' here`, { start, end }, hint)
    return dyn
  }

  /** The type of a field of a container, with the problems of reading it. */
  field(node: SelectNode, container: Type, scope: Scope, access: Access): Type {
    return selectField(
      this,
      { node, operand: node.operand, field: node.field, span: node.fieldSpan },
      container,
      scope,
      access,
    )
  }

  #index(node: IndexNode, scope: Scope): Type {
    const container = this.#access(node.operand, scope)
    const { index } = node
    const key = this.infer(index, scope)
    if (index.kind === 'literal' && typeof index.value === 'string') {
      const target = { node, operand: node.operand, field: index.value, span: index }
      return selectField(this, target, container, scope, node.optional ? 'optional' : 'plain')
    }
    if (container.kind === 'optional') {
      return optionalOf(this.#element(node, container.value, key, scope))
    }
    const element = this.#element(node, container, key, scope)
    return node.optional ? optionalOf(element) : element
  }

  #element(node: IndexNode, container: Type, key: Type, scope: Scope): Type {
    if (this.mayBeNull(node.operand, container, scope)) return dyn
    const found: Type[] = []
    for (const member of membersOf(container)) {
      if (member.kind === 'dyn') return dyn
      if (member.kind === 'list') {
        if (isNumeric(key) || key.kind === 'dyn') found.push(member.element)
        else this.problem('wrong_type', `a list has no index of type ${describeType(key)}`, node.index)
      } else if (member.kind === 'map') found.push(member.value)
      else if (member.kind === 'object') found.push(dyn)
    }
    if (found.length === 0 && !membersOf(container).some((member) => member.kind === 'list')) {
      this.problem('wrong_type', `${describeType(container)} has no [${describeType(key)}]`, node)
    }
    return found.length === 0 ? dyn : union(found)
  }

  #has({ field }: HasNode, scope: Scope): Type {
    const container = this.#access(field.operand, scope)
    this.field(field, container, scope, 'has')
    this.#record(field, scope, true)
    return bool
  }

  #list(node: ListNode, scope: Scope): Type {
    if (node.elements.length === 0) return list(dyn)
    return list(
      union(
        node.elements.map(({ value, optional }) => {
          const type = this.infer(value, scope)
          return optional ? this.#unwrapped(value, type) : type
        }),
      ),
    )
  }

  #unwrapped(node: Node, type: Type): Type {
    if (type.kind === 'optional') return type.value
    if (type.kind !== 'dyn') {
      this.problem('wrong_type', `? needs an optional, found ${describeType(type)}`, node, 'leave out the ?')
    }
    return dyn
  }

  #map(node: MapNode, scope: Scope): Type {
    const properties = new Map<string, Property>()
    const keys: Type[] = []
    const values: Type[] = []
    for (const { key, value, optional } of node.entries) {
      const keyType = this.infer(key, scope)
      const given = this.infer(value, scope)
      const type = optional ? this.#unwrapped(value, given) : given
      keys.push(keyType)
      values.push(type)
      if (!['string', 'int', 'bool', 'dyn', 'number', 'union'].includes(keyType.kind)) {
        this.problem('wrong_type', `${describeType(keyType)} cannot be the key of a map`, key)
      }
      if (key.kind !== 'literal' || typeof key.value !== 'string') continue
      if (properties.has(key.value))
        this.problem('wrong_arguments', `the key '${key.value}' occurs twice`, key)
      properties.set(key.value, { type, optional })
    }
    const isObject = properties.size === node.entries.length
    return isObject ? { kind: 'object', properties, additional: undefined } : map(union(values), union(keys))
  }

  #logic(node: LogicNode, scope: Scope): Type {
    let at = scope
    for (const term of node.terms) {
      this.condition(term, at)
      const { whenTrue, whenFalse } = factsOf(term)
      at = this.#knowing(at, node.operator === '&&' ? whenTrue : whenFalse)
    }
    return bool
  }

  #unary({ operator, operand }: Node & { kind: 'unary' }, scope: Scope): Type {
    if (operator === '!') return this.condition(operand, scope)
    const type = this.infer(operand, scope)
    if (this.mayBeNull(operand, type, scope)) return dyn
    if (type.kind === 'dyn' || isNumeric(type))
      return type.kind === 'number' ? { kind: 'number', whole: type.whole } : type
    this.problem('wrong_type', `- does not work on ${describeType(type)}`, operand)
    return dyn
  }

  #macro(node: MacroNode, scope: Scope): Type {
    const operand = this.infer(node.operand, scope)
    if (node.name === 'optMap' || node.name === 'optFlatMap') return this.#optionalMacro(node, operand, scope)
    const element = this.#items(node, operand, scope)
    let inner = this.#hiding(scope, node.variable, element)
    if (node.filter) {
      this.condition(node.filter, inner)
      inner = this.#knowing(inner, factsOf(node.filter).whenTrue)
    }
    if (node.name === 'map') return list(this.infer(node.body, inner))
    this.condition(node.body, inner)
    return node.name === 'filter' ? list(refine(element, node.variable, factsOf(node.body).whenTrue)) : bool
  }

  /** What the variable of a macro stands for: elements of a list, keys of a map. */
  #items(node: MacroNode, operand: Type, scope: Scope): Type {
    if (this.mayBeNull(node.operand, operand, scope)) return dyn
    const found: Type[] = []
    for (const member of membersOf(operand)) {
      if (member.kind === 'list') found.push(member.element)
      else if (member.kind === 'map') found.push(member.key)
      else if (member.kind === 'object') found.push(string)
      else if (member.kind === 'dyn') found.push(dyn)
    }
    if (found.length > 0) return union(found)
    const hint = operand.kind === 'optional' ? 'give a default first: orValue([])' : undefined
    const message = `${node.name}() goes through a list or a map, found ${describeType(operand)}`
    this.problem('wrong_type', message, node.operand, hint)
    return dyn
  }

  #optionalMacro(node: MacroNode, operand: Type, scope: Scope): Type {
    if (operand.kind !== 'optional' && operand.kind !== 'dyn') {
      this.problem(
        'wrong_type',
        `${node.name}() works on optionals, found ${describeType(operand)}`,
        node.operand,
      )
    }
    const inside = operand.kind === 'optional' ? operand.value : dyn
    const result = this.infer(node.body, this.#hiding(scope, node.variable, inside))
    if (node.name === 'optMap') return optionalOf(result)
    return result.kind === 'optional' ? result : optionalOf(dyn)
  }

  #bind(node: BindNode, scope: Scope): Type {
    const type = this.infer(node.value, scope)
    return this.infer(node.body, this.#hiding(scope, node.variable, type))
  }
}

function typeOfLiteral(value: unknown): Type {
  switch (typeof value) {
    case 'string':
      return { kind: 'string', values: [value], literal: true }
    case 'bigint':
      return int
    case 'number':
      return double
    case 'boolean':
      return bool
    default:
      return nullType
  }
}
