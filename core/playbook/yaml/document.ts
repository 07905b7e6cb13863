import { isAlias, isMap, isScalar, isSeq, type Alias, type Node as YamlNode, type Scalar } from 'yaml'
import { errorsOf, parseYaml } from './parse-yaml.ts'
import { maxDepth, type SourceLimits } from './pre-scan.ts'
import { quote, type Problems } from '../language/problem.ts'
import { quoted, withRepairs, type Repair, type ScalarStyle } from './repairs.ts'
import type { Span } from '../language/source-text.ts'
import { correctedLines, findUnquotedExpressions } from './unquoted-expressions.ts'
import { explainYamlErrors } from './yaml-mistakes.ts'
import type { Sliced } from '../../common/sliced.ts'

/** A node of the YAML with its place. YAML features beyond JSON have been resolved or rejected. */
export type Node = ScalarNode | ListNode | MapNode

export interface ScalarNode extends Span {
  readonly kind: 'scalar'
  /** A bigint only in data beside playbooks, such as fixtures. */
  readonly value: string | number | bigint | boolean | null
  readonly style: ScalarStyle
  /** Inside `{ }` or `[ ]`, where some characters need quotes. */
  readonly inFlow?: boolean
}

interface ListNode extends Span {
  readonly kind: 'list'
  readonly items: readonly Node[]
}

export interface MapNode extends Span {
  readonly kind: 'map'
  /** In source order, without duplicates, which have been reported. */
  readonly entries: readonly Entry[]
}

export interface Entry {
  readonly name: string
  readonly key: Span
  readonly value: Node
}

/**
 * How invalid YAML is handled; mistakes are always reported. `strict`: not read, and integers beyond 2^53 are
 * kept, as in data. `repaired`: mistakes with one obvious meaning are corrected. `tolerant`: the rest is read
 * as far as possible, for editors.
 */
export type Reading = 'strict' | 'repaired' | 'tolerant'

/** Each round parses the text once. */
const maxRounds = 10
const maxRepairableLength = 64 * 1024

/** The content of a source that passed the pre-scan; undefined if it cannot be read. */
export function* readDocument(
  text: string,
  problems: Problems,
  reading: Reading,
  limits: SourceLimits,
  known: readonly Repair[] = [],
): Sliced<Node | undefined> {
  const repairs = new Map(known.map((repair) => [repair.start, repair]))
  const readable = withRepairs(text, known)
  let document = yield* parseYaml(readable)
  if (errorsOf(document).length > 0 && text.includes('${{')) {
    const unquoted = findUnquotedExpressions(readable)
    reportUnquoted(text, unquoted, problems)
    for (const repair of unquoted) repairs.set(repair.start, repair)
    if (unquoted.length > 0) document = yield* parseYaml(withRepairs(text, repairs.values()))
  }
  const rounds = text.length > maxRepairableLength ? 1 : maxRounds
  for (let round = 0; round < rounds; round++) {
    const errors = errorsOf(document)
    if (errors.length === 0) break
    const mistake = explainYamlErrors(text, errors)
    const { repair } = mistake
    problems.add(mistake.code, mistake.message, mistake, mistake.hint)
    if (repair === undefined || repairs.has(repair.start)) break
    repairs.set(repair.start, repair)
    document = yield* parseYaml(withRepairs(text, repairs.values()))
  }
  if (problems.hasErrors && reading === 'strict') return undefined
  if (errorsOf(document).length > 0 && reading !== 'tolerant') return undefined
  if (document.contents === null) {
    problems.add('E106', 'the file is empty', { start: 0, end: 0 })
    return undefined
  }
  const converter = new Converter(text, problems, repairs, reading, limits)
  const root = converter.convert(document.contents, 1)?.node
  // A truncated document would cause misleading problems.
  return converter.isFull && reading !== 'tolerant' ? undefined : root
}

function reportUnquoted(text: string, unquoted: readonly Repair[], problems: Problems): void {
  for (const [repair, line] of correctedLines(text, unquoted)) {
    const start = text.indexOf('${{', repair.start)
    const hint = line.length <= 160 ? `write ${line}` : `write ${quoted(repair.value)}`
    const message = 'an expression inside { } or [ ] must be quoted'
    problems.add('E114', message, { start, end: repair.end }, hint)
  }
}

const styles: Readonly<Record<string, ScalarStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
}

interface Converted {
  readonly node: Node
  /** Nodes in it, aliases counted with their content. */
  readonly size: number
  /** Levels of nesting in it. */
  readonly height: number
}

class Converter {
  readonly #text: string
  readonly #problems: Problems
  /** By start offset. */
  readonly #repairs: ReadonlyMap<number, Repair>
  readonly #reading: Reading
  readonly #maxNodes: number
  readonly #anchors = new Map<string, Converted>()
  #total = 0
  /** Set when a limit is exceeded; the rest is skipped. */
  #full = false

  constructor(
    text: string,
    problems: Problems,
    repairs: ReadonlyMap<number, Repair>,
    reading: Reading,
    limits: SourceLimits,
  ) {
    this.#text = text
    this.#maxNodes = limits.nodes
    this.#reading = reading
    this.#problems = problems
    this.#repairs = repairs
  }

  get isFull(): boolean {
    return this.#full
  }

  convert(node: YamlNode, depth: number): Converted | undefined {
    if (this.#full) return undefined
    const span = spanOf(node)
    if (isAlias(node)) return this.#alias(node, span, depth)
    if (!this.#grow(1, 1, depth, span)) return undefined
    const converted = isScalar(node) ? this.#scalar(node, span) : this.#collection(node, span, depth)
    const anchor = (node as { anchor?: string }).anchor
    if (converted !== undefined && anchor !== undefined) this.#anchors.set(anchor, converted)
    return converted
  }

  #alias(alias: Alias, span: Span, depth: number): Converted | undefined {
    const target = this.#anchors.get(alias.source)
    if (target === undefined) {
      const hint = 'put the anchor before its aliases, not around them; quote text that starts with *'
      this.#problems.add('E006', `unknown anchor ${quote(alias.source)}`, span, hint)
      return undefined
    }
    return this.#grow(target.size, target.height, depth, span) ? target : undefined
  }

  #grow(size: number, height: number, depth: number, span: Span): boolean {
    if (this.#full) return false
    this.#total += size
    if (this.#total > this.#maxNodes) {
      const hint = this.#anchors.size > 0 ? 'aliases count with their content' : undefined
      this.#problems.add(
        'E005',
        `the file has more than ${this.#maxNodes} keys, values and items`,
        span,
        hint,
      )
    } else if (depth + height - 1 > maxDepth) {
      this.#problems.add('E004', `maps and lists are nested deeper than ${maxDepth}`, span, 'split the file')
    } else return true
    this.#full = true
    return false
  }

  #scalar(node: Scalar, span: Span): Converted {
    const repair = this.#repairs.get(span.start)
    if (repair) {
      const { value, valueStart: start } = repair
      return {
        node: { kind: 'scalar', value, style: 'plain', start, end: start + value.length },
        size: 1,
        height: 1,
      }
    }
    const style = styles[node.type ?? 'PLAIN'] ?? 'plain'
    let value = isPlainValue(node.value) ? node.value : null
    const written = this.#text.slice(span.start, span.end)
    if (typeof value === 'number' && !isJsonNumber(value, written)) {
      if (this.#reading === 'strict' && /^-?\d+$/.test(written)) {
        return { node: { kind: 'scalar', value: BigInt(written), style, ...span }, size: 1, height: 1 }
      }
      const hint = 'put it into quotes to keep it as text'
      this.#problems.add('E102', 'JSON cannot represent this number exactly', span, hint)
      value = 0
    }
    return { node: { kind: 'scalar', value, style, ...span }, size: 1, height: 1 }
  }

  #collection(node: YamlNode, span: Span, depth: number): Converted {
    let size = 1
    let height = 0
    const isFlow = (node as { flow?: boolean }).flow === true
    const add = (child: YamlNode): Node | undefined => {
      const converted = inFlow(this.convert(child, depth + 1), isFlow)
      size += converted?.size ?? 0
      height = Math.max(height, converted?.height ?? 0)
      return converted?.node
    }
    if (isSeq<YamlNode>(node)) {
      const items = node.items.map(add).filter((item) => item !== undefined)
      return { node: { kind: 'list', items, ...span }, size, height: height + 1 }
    }
    const entries: Entry[] = []
    const seen = new Map<string, Span>()
    for (const pair of isMap<YamlNode, YamlNode | null>(node) ? node.items : []) {
      const key = spanOf(pair.key)
      const name = this.#keyName(pair.key, key, seen)
      const value = pair.value === null ? nothing(key) : add(pair.value)
      this.#grow(1, 1, depth, key)
      size++
      if (name !== undefined && value !== undefined) entries.push({ name, key, value: placed(value, key) })
    }
    return { node: { kind: 'map', entries, ...span }, size, height: height + 1 }
  }

  #keyName(node: YamlNode, span: Span, seen: Map<string, Span>): string | undefined {
    if (!isScalar(node) || typeof node.value !== 'string') {
      this.#problems.add('E106', 'a key must be a string', span)
      return undefined
    }
    const name = this.#repairs.get(span.start)?.value ?? node.value
    if (name === '<<' && node.type === 'PLAIN') {
      this.#problems.add('E102', 'merge keys are not supported', span, 'write out the keys')
      return undefined
    }
    if (seen.has(name)) {
      this.#problems.add('E103', `duplicate key ${quote(name)}`, span, 'keep one of them')
      return undefined
    }
    seen.set(name, span)
    return name
  }
}

const inFlow = (converted: Converted | undefined, isFlow: boolean): Converted | undefined =>
  isFlow && converted?.node.kind === 'scalar'
    ? { ...converted, node: { ...converted.node, inFlow: true } }
    : converted

/** A missing value (`key:`) is null, at the place of its key. */
const nothing = (key: Span): ScalarNode => ({
  kind: 'scalar',
  value: null,
  style: 'plain',
  start: key.start,
  end: key.end,
})
const placed = (value: Node, key: Span): Node => (value.start === value.end ? { ...value, ...key } : value)

function spanOf(node: YamlNode | null): Span {
  const [start, end] = node?.range ?? [0, 0]
  return { start, end }
}

const isPlainValue = (value: unknown): value is Exclude<ScalarNode['value'], bigint> =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Whether JSON can represent the number exactly: finite, and no integer beyond 2^53. */
function isJsonNumber(value: number, written: string): boolean {
  if (!Number.isFinite(value)) return false
  return !Number.isInteger(value) || Number.isSafeInteger(value) || /[.eE]/.test(written)
}
