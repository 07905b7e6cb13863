import type { AstNode } from '../parse/ast.ts'
import { isConstant } from './check-constants.ts'
import { membersOf, type Type } from '../types/types.ts'
import type { Value } from '../values/values.ts'
import type { Fact } from './facts.ts'

/** The facts about one value while a condition is evaluated statically. */
interface Known {
  /** The possible strings; undefined: any. */
  readonly texts?: readonly string[] | undefined
  readonly not?: readonly Value[]
  readonly from?: Bound | undefined
  readonly to?: Bound | undefined
  readonly is?: boolean | undefined
}

interface Bound {
  readonly at: number
  readonly open: boolean
}

type Facts = ReadonlyMap<string, Known>
export interface TruthOptions {
  /** Types of the names, fields and items in the condition. */
  readonly types: ReadonlyMap<AstNode, Type>
  readonly given: readonly Fact[]
  /** The value of a constant part; undefined if it takes too long or fails. */
  readonly compute: (node: AstNode) => Value | undefined
}

/**
 * Whether a condition is always or never true; it may still fail. `never` uses all known facts. `always` uses
 * only the condition and enumerations, since a check for the last remaining choice is not a mistake.
 */
export function outcomeOf(condition: AstNode, options: TruthOptions): 'always' | 'never' | undefined {
  // `if: false` switches a step off.
  if (condition.kind === 'literal') return undefined
  if (new Truth(options).of(condition, factsFrom(options.given)) === false) return 'never'
  return new Truth(options).of(condition, new Map()) === true ? 'always' : undefined
}

/** Only the most recent facts are used. */
const maxFacts = 100

function factsFrom(given: readonly Fact[]): Facts {
  const facts = new Map<string, Known>()
  for (const fact of given.slice(-maxFacts)) {
    const key = fact.path.every((part) => typeof part !== 'object')
      ? fact.path.map(partKey).join('')
      : undefined
    if (key === undefined) continue
    const known = facts.get(key) ?? {}
    if (fact.is === 'one_of') facts.set(key, { ...known, texts: both(known.texts, fact.values) })
    if (fact.is === 'none_of') facts.set(key, { ...known, not: [...(known.not ?? []), ...fact.values] })
    if (fact.is === 'present') facts.set(`has ${key}`, { is: true })
  }
  return facts
}

const partKey = (part: unknown): string => (typeof part === 'bigint' ? `[${part}]` : `.${String(part)}`)
const both = (a: readonly string[] | undefined, b: readonly string[]): readonly string[] =>
  a ? a.filter((text) => b.includes(text)) : b
/** A text that identifies a value wherever a condition reads it; undefined for other nodes. */
function keyOf(node: AstNode): string | undefined {
  switch (node.kind) {
    case 'ident':
      return `.${node.name}`
    case 'select': {
      const operand = node.optional ? undefined : keyOf(node.operand)
      return operand && `${operand}.${node.field}`
    }
    case 'index': {
      const part = node.index.kind === 'literal' ? node.index.value : undefined
      const operand = node.optional || part === undefined ? undefined : keyOf(node.operand)
      return operand && operand + partKey(part)
    }
    case 'has':
      return keyOf(node.field)?.replace(/^/, 'has ')
    case 'call': {
      const [only, more] = node.target ? [node.target, ...node.args] : node.args
      const operand = only && !more ? keyOf(only) : undefined
      return operand && `${node.name}(${operand})`
    }
    default:
      return undefined
  }
}

const flipped: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
const negated: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
}

/** `value operator literal`. */
interface Comparison {
  readonly node: AstNode
  readonly key: string
  readonly operator: string
  readonly value: Value
}

class Truth {
  readonly #options: TruthOptions
  constructor(options: TruthOptions) {
    this.#options = options
  }

  of(node: AstNode, facts: Facts): boolean | undefined {
    if (isConstant(node)) {
      const value = this.#options.compute(node)
      return typeof value === 'boolean' ? value : undefined
    }
    if (node.kind === 'unary' && node.operator === '!') return not(this.of(node.operand, facts))
    if (node.kind === 'logic') return this.#logic(node.terms, node.operator === '&&', facts)
    if (node.kind === 'ternary') return this.#ternary(node, facts)
    if (node.kind === 'binary' && node.operator === 'in') return this.#membership(node, facts)
    const same = node.kind === 'binary' ? sameSides(node) : undefined
    if (same !== undefined) return same
    const comparison = this.#comparison(node)
    return comparison && this.#compare(comparison, facts)
  }

  #logic(terms: readonly AstNode[], isAnd: boolean, before: Facts): boolean | undefined {
    let facts = before
    let isDecided = true
    for (const term of terms) {
      const truth = this.of(term, facts)
      if (truth === !isAnd) return !isAnd
      if (truth === undefined) isDecided = false
      facts = this.#assume(term, isAnd, facts)
    }
    return isDecided ? isAnd : undefined
  }

  #ternary(node: AstNode & { kind: 'ternary' }, facts: Facts): boolean | undefined {
    const condition = this.of(node.condition, facts)
    const yes = this.of(node.whenTrue, this.#assume(node.condition, true, facts))
    const no = this.of(node.whenFalse, this.#assume(node.condition, false, facts))
    return condition === undefined ? (yes === no ? yes : undefined) : condition ? yes : no
  }

  #membership({ left, right }: AstNode & { kind: 'binary' }, facts: Facts): boolean | undefined {
    const key = keyOf(left)
    if (key === undefined || right.kind !== 'list') return undefined
    const found = right.elements.map(({ value }) => {
      const literal = this.#literal(value)
      return literal === undefined
        ? undefined
        : this.#compare({ node: left, key, operator: '==', value: literal }, facts)
    })
    if (found.includes(true)) return true
    if (found.every((each) => each === false)) return false
    const texts = this.#textsOf(left, facts.get(key))
    const listed = right.elements.map(({ value }) => this.#literal(value))
    return texts && texts.length > 1 && texts.every((text) => listed.includes(text)) ? true : undefined
  }

  #comparison(node: AstNode): Comparison | undefined {
    if (node.kind !== 'binary') {
      const key = keyOf(node)
      return key === undefined ? undefined : { node, key, operator: '==', value: true }
    }
    const { operator, left, right } = node
    if (negated[operator] === undefined) return undefined
    const [behind, before] = [this.#literal(right), this.#literal(left)]
    const [key, value] = behind === undefined ? [keyOf(right), before] : [keyOf(left), behind]
    if (key === undefined || value === undefined) return undefined
    const isTurned = behind === undefined
    return {
      node: isTurned ? right : left,
      key,
      operator: isTurned ? (flipped[operator] ?? operator) : operator,
      value,
    }
  }

  #literal(node: AstNode): Value | undefined {
    const value = isConstant(node) ? this.#options.compute(node) : undefined
    return ['string', 'bigint', 'number', 'boolean'].includes(typeof value) ? value : undefined
  }

  /** The possible strings of a value, if they are known; not those of a constant. */
  #textsOf(node: AstNode, known: Known = {}): readonly string[] | undefined {
    const type = this.#options.types.get(node)
    const members = type ? membersOf(type) : []
    const declared = members.every(
      (member) => member.kind === 'string' && member.values && member.literal !== true,
    )
      ? members.flatMap((member) => (member.kind === 'string' ? (member.values ?? []) : []))
      : []
    const texts = declared.length > 0 ? both(known.texts, declared) : known.texts
    return texts?.filter((text) => known.not?.includes(text) !== true)
  }

  #compare({ node, key, operator, value }: Comparison, facts: Facts): boolean | undefined {
    const known = facts.get(key) ?? {}
    if (operator === '!=') return not(this.#compare({ node, key, operator: '==', value }, facts))
    if (typeof value === 'boolean')
      return operator === '==' && known.is !== undefined ? known.is === value : undefined
    if (typeof value === 'string') {
      if (operator !== '==') return undefined
      if (known.not?.includes(value) === true) return false
      const texts = this.#textsOf(node, known)
      if (texts?.includes(value) === false) return false
      // A check for the only value of an enumeration is not a mistake.
      return known.texts?.length === 1 && known.texts[0] === value ? true : undefined
    }
    const at = Number(value)
    if (
      operator === '==' &&
      known.not?.some((each) => Number(each) === at && typeof each !== 'string') === true
    )
      return false
    return compareRange(operator, at, known, key.startsWith('size('))
  }

  /** The facts that follow if a condition is true, or false. */
  #assume(node: AstNode, holds: boolean, facts: Facts): Facts {
    if (node.kind === 'unary' && node.operator === '!') return this.#assume(node.operand, !holds, facts)
    if (node.kind === 'logic') {
      if ((node.operator === '&&') !== holds) return facts
      return node.terms.reduce((now, term) => this.#assume(term, holds, now), facts)
    }
    if (node.kind === 'binary' && node.operator === 'in') return this.#assumeAmong(node, holds, facts)
    const comparison = this.#comparison(node)
    if (comparison === undefined) return facts
    const operator = holds ? comparison.operator : negated[comparison.operator]!
    const known = facts.get(comparison.key) ?? {}
    return new Map([...facts, [comparison.key, learned(known, operator, comparison.value)]])
  }

  #assumeAmong({ left, right }: AstNode & { kind: 'binary' }, holds: boolean, facts: Facts): Facts {
    const key = keyOf(left)
    const values = right.kind === 'list' ? right.elements.map(({ value }) => this.#literal(value)) : []
    const texts = values.filter((value) => typeof value === 'string')
    if (key === undefined || texts.length === 0 || texts.length < values.length) return facts
    const known = facts.get(key) ?? {}
    const more = holds ? { texts: both(known.texts, texts) } : { not: [...(known.not ?? []), ...texts] }
    return new Map([...facts, [key, { ...known, ...more }]])
  }
}

const not = (truth: boolean | undefined): boolean | undefined => (truth === undefined ? undefined : !truth)
/** `x == x`, `x < x`. */
function sameSides({ operator, left, right }: AstNode & { kind: 'binary' }): boolean | undefined {
  const key = keyOf(left)
  if (key === undefined || key !== keyOf(right)) return undefined
  if (operator === '==' || operator === '<=' || operator === '>=') return true
  return operator === '!=' || operator === '<' || operator === '>' ? false : undefined
}

function learned(known: Known, operator: string, value: Value): Known {
  if (typeof value === 'boolean') return { ...known, is: operator === '==' ? value : !value }
  if (operator === '!=') return { ...known, not: [...(known.not ?? []), value] }
  if (typeof value === 'string')
    return operator === '==' ? { ...known, texts: both(known.texts, [value]) } : known
  const bound = { at: Number(value), open: operator === '<' || operator === '>' }
  const [isFrom, isTo] = [!operator.startsWith('<'), !operator.startsWith('>')]
  return {
    ...known,
    ...(isFrom ? { from: tighter(known.from, bound, (a, b) => a > b) } : {}),
    ...(isTo ? { to: tighter(known.to, bound, (a, b) => a < b) } : {}),
  }
}

function tighter(a: Bound | undefined, b: Bound, isTighter: (a: number, b: number) => boolean): Bound {
  if (a === undefined || isTighter(b.at, a.at)) return b
  return a.at === b.at ? { at: a.at, open: a.open || b.open } : a
}

function compareRange(
  operator: string,
  at: number,
  { from, to }: Known,
  isCount: boolean,
): boolean | undefined {
  const low = from ?? (isCount ? { at: 0, open: false } : undefined)
  const below = to !== undefined && (to.at < at || (to.at === at && to.open))
  const above = low !== undefined && (low.at > at || (low.at === at && low.open))
  const notAbove = to !== undefined && to.at <= at
  const notBelow = low !== undefined && low.at >= at
  switch (operator) {
    case '==':
      if (below || above) return false
      return notAbove && notBelow ? true : undefined
    case '<':
      return below ? true : notBelow ? false : undefined
    case '<=':
      return notAbove ? true : above ? false : undefined
    case '>':
      return above ? true : notAbove ? false : undefined
    default:
      return notBelow ? true : below ? false : undefined
  }
}
