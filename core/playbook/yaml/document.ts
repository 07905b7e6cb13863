import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type Alias,
  type CST,
  type Document,
  type Node as YamlNode,
  type Scalar,
  YAMLParseError,
  type YAMLError,
} from 'yaml'
import { maxDepth, maxNodes, tokensPerSlice } from './pre-scan.ts'
import { quote, type Problems } from '../language/problem.ts'
import { quoted, withRepairs, type Repair } from './repairs.ts'
import type { Span } from '../language/source-text.ts'
import { correctedLines, findUnquotedExpressions } from './unquoted-expressions.ts'
import { explainYamlErrors } from './yaml-mistakes.ts'
import type { Sliced } from '../../common/sliced.ts'
import type { ScalarStyle } from './repairs.ts'

/** A piece of the YAML, with its place. Whatever YAML has beyond JSON has been resolved or refused. */
export type Node = ScalarNode | ListNode | MapNode

export interface ScalarNode extends Span {
  readonly kind: 'scalar'
  /** A bigint only in data beside playbooks, such as fixtures. */
  readonly value: string | number | bigint | boolean | null
  readonly style: ScalarStyle
  /** Inside of `{ }` or `[ ]`, where some characters need quotes. */
  readonly inFlow?: boolean
}

interface ListNode extends Span {
  readonly kind: 'list'
  readonly items: readonly Node[]
}

export interface MapNode extends Span {
  readonly kind: 'map'
  /** As written; a duplicate has been reported and is left out. */
  readonly entries: readonly Entry[]
}

export interface Entry {
  readonly name: string
  readonly key: Span
  readonly value: Node
}

/**
 * How much is done about a text that YAML cannot read: nothing, and integers beyond 2^53 are kept, as in data; or mistakes with one obvious meaning are read as they were meant;
 * or what is left is read as far as it can be understood, for editors. All of them are reported.
 */
export type Reading = 'strict' | 'repaired' | 'tolerant'

/** Each round costs a parse. */
const maxRounds = 10
const maxRepairableLength = 64 * 1024

/** The content of a source that passed the pre-scan, with what that repaired; undefined when there is none to speak of. */
export function* readDocument(
  text: string,
  problems: Problems,
  reading: Reading,
  known: readonly Repair[] = [],
): Sliced<Node | undefined> {
  const repairs = new Map(known.map((repair) => [repair.start, repair]))
  const readable = withRepairs(text, known)
  let document = yield* parse(readable)
  if (errorsOf(document).length > 0 && text.includes('${{')) {
    const unquoted = findUnquotedExpressions(readable)
    reportUnquoted(text, unquoted, problems)
    for (const repair of unquoted) repairs.set(repair.start, repair)
    if (unquoted.length > 0) document = yield* parse(withRepairs(text, repairs.values()))
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
    document = yield* parse(withRepairs(text, repairs.values()))
  }
  if (problems.hasErrors && reading === 'strict') return undefined
  if (errorsOf(document).length > 0 && reading !== 'tolerant') return undefined
  if (document.contents === null) {
    problems.add('E106', 'the file is empty', { start: 0, end: 0 })
    return undefined
  }
  const converter = new Converter(text, problems, repairs, reading)
  const root = converter.convert(document.contents, 1)?.node
  // What is left of a document that is too large would be misunderstood.
  return converter.isFull && reading !== 'tolerant' ? undefined : root
}

/** As `parseDocument` of the library reads it, in time slices. */
function* parse(text: string): Sliced<Document.Parsed> {
  const parser = new Parser()
  const composer = new Composer(yamlOptions)
  const documents: Document.Parsed[] = []
  function* add(token: CST.Token): Sliced<void> {
    if (token.type === 'document') yield 'long'
    documents.push(...withoutStacks(() => [...composer.next(token)]))
  }
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (++count % tokensPerSlice === 0) yield
    for (const token of parser.next(lexeme)) yield* add(token)
    // A second one is a mistake, and more of them are no other.
    if (documents.length > 1) break
  }
  for (const token of parser.end()) yield* add(token)
  documents.push(...composer.end(true, text.length))
  yield
  const [document, second] = documents
  if (second) {
    const message = 'Source contains multiple documents'
    document!.errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', message))
  }
  return document!
}

/** Mistakes are errors to the library: the stacks of thousands would take longer than all the rest. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const yamlOptions = {
  version: '1.2',
  schema: 'core',
  merge: false,
  // Pairwise comparison takes seconds for thousands of keys; Converter looks for duplicates itself.
  uniqueKeys: false,
  stringKeys: true,
  prettyErrors: false,
  logLevel: 'error',
} as const

const errorsOf = ({ errors, warnings }: Document.Parsed): readonly YAMLError[] => [...errors, ...warnings]

function reportUnquoted(text: string, unquoted: readonly Repair[], problems: Problems): void {
  for (const [repair, line] of correctedLines(text, unquoted)) {
    const start = text.indexOf('${{', repair.start)
    const hint = line.length <= 160 ? `write ${line}` : `write ${quoted(repair.value)}`
    const message = 'inside of { } or [ ] an expression must stand in quotes'
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
  /** Nodes in it, aliases counted as what they stand for. */
  readonly size: number
  /** Levels of nesting in it. */
  readonly height: number
}

class Converter {
  readonly #text: string
  readonly #problems: Problems
  /** By where they begin. */
  readonly #repairs: ReadonlyMap<number, Repair>
  readonly #reading: Reading
  readonly #anchors = new Map<string, Converted>()
  #total = 0
  /** Once too much has been found, what follows is left out. */
  #full = false

  constructor(text: string, problems: Problems, repairs: ReadonlyMap<number, Repair>, reading: Reading) {
    this.#text = text
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
      const hint =
        'anchors stand before their aliases, and not around them; a text that begins with * must stand in quotes'
      this.#problems.add('E006', `there is no anchor ${quote(alias.source)} before this alias`, span, hint)
      return undefined
    }
    return this.#grow(target.size, target.height, depth, span) ? target : undefined
  }

  #grow(size: number, height: number, depth: number, span: Span): boolean {
    if (this.#full) return false
    this.#total += size
    if (this.#total > maxNodes) {
      const hint = this.#anchors.size > 0 ? 'aliases count as what they stand for' : undefined
      this.#problems.add('E005', `the file has more than ${maxNodes} keys, values and items`, span, hint)
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
      const hint = 'put it into quotes to have it as text'
      this.#problems.add('E102', 'this number cannot be kept exactly as JSON', span, hint)
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
      this.#problems.add('E106', 'a key must be text', span)
      return undefined
    }
    const name = this.#repairs.get(span.start)?.value ?? node.value
    if (name === '<<' && node.type === 'PLAIN') {
      this.#problems.add('E102', 'merge keys are not used here', span, 'write the keys out')
      return undefined
    }
    if (seen.has(name)) {
      this.#problems.add('E103', `the key ${quote(name)} is already there`, span, 'keep one of them')
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

/** A value that is not written (`key:`) is null, and shown at its key. */
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

/** Whether the number survives being JSON: finite, and no integer beyond 2^53. */
function isJsonNumber(value: number, written: string): boolean {
  if (!Number.isFinite(value)) return false
  return !Number.isInteger(value) || Number.isSafeInteger(value) || /[.eE]/.test(written)
}
