import { CST, Lexer } from 'yaml'
import type { ProblemCode } from '../language/problem-catalogue.ts'
import { quoted, type Repair } from './repairs.ts'
import type { Span } from '../language/source-text.ts'
import { conditionKeys } from './yaml-mistakes.ts'
import type { Sliced } from '../../common/sliced.ts'

/** How large a source may be. */
export interface SourceLimits {
  /** UTF-8 bytes. */
  readonly bytes: number
  /** Keys, values and list items; aliases count with their content. */
  readonly nodes: number
  /** Tokens, including blank lines and comments. */
  readonly tokens: number
}

/** Of playbooks and their tests. */
export const playbookLimits: SourceLimits = { bytes: 256 * 1024, nodes: 20_000, tokens: 150_000 }
/** Deepest nesting of maps and lists. */
export const maxDepth = 64
/** Maximum number of anchors, and of aliases. */
const maxAliases = 100

/** Scanning this many tokens takes about a millisecond. */
export const tokensPerSlice = 1_000

/** The first finding of the scan; later ones would be guesses. */
export interface ScanFinding extends Span {
  readonly code: ProblemCode
  readonly message: string
  readonly hint?: string
  /** Set if the intention is clear, so that the rest can be checked. */
  readonly repair?: Repair
}

/**
 * Scans the tokens of a YAML text in one pass and rejects input that would exhaust the YAML parser, which
 * recurses and keeps a node per token. Accepted texts are small and shallow.
 */
export function* preScan(text: string, limits: SourceLimits): Sliced<ScanFinding | undefined> {
  const size = Buffer.byteLength(text)
  if (size > limits.bytes) return tooLarge(size, limits)
  return forbiddenCharacter(text) ?? (yield* new TokenScan(text, limits).run())
}

export const tooLarge = (size: number, { bytes }: SourceLimits): ScanFinding =>
  finding('E001', `the file has ${size} bytes; at most ${bytes} are allowed`, 0, 0)

export const notUtf8 = (at: number): ScanFinding =>
  finding('E002', 'the file is not UTF-8 text', at, at + 1, 'save it as UTF-8')

// Characters that are not printable in YAML 1.2, lone carriage returns, and direction overrides and isolates,
// which change how text appears.
const forbidden = /(?![\t\n\r\u0085])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\r(?!\n)/u

function forbiddenCharacter(text: string): ScanFinding | undefined {
  const found = forbidden.exec(text)
  if (found === null) return undefined
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  const hint =
    code === '000D' ? 'end lines with LF or CRLF' : `in double quotes it can be written as "\\u${code}"`
  return finding('E003', `the character U+${code} is not allowed here`, found.index, found.index + 1, hint)
}

class TokenScan {
  /** Offsets of the open brackets. */
  readonly #flow: number[] = []
  #nodes = 0
  #tokens = 0
  #anchors = 0
  #aliases = 0
  /** Columns of the open block collections. */
  readonly #columns: number[] = []
  #column = 0
  /** Column of the current key; undefined at the start of a line and after an indicator. */
  #keyColumn: number | undefined

  readonly #text: string
  readonly #limits: SourceLimits

  constructor(text: string, limits: SourceLimits) {
    this.#text = text
    this.#limits = limits
  }

  *run(): Sliced<ScanFinding | undefined> {
    let at = 0
    let scalarFollows = false
    for (const token of new Lexer().lex(this.#text)) {
      if (++this.#tokens > this.#limits.tokens) return tooMany(at, this.#limits)
      if (this.#tokens % tokensPerSlice === 0) yield
      const end = at + (isMark(token) ? 0 : token.length)
      const type: string | null = scalarFollows ? 'scalar-text' : CST.tokenType(token)
      scalarFollows = type === 'scalar'
      const found = this.#look(type, token, at, end)
      if (found !== undefined) return found
      if (!isMark(token) || type === 'scalar-text') this.#column = columnAfter(this.#column, token)
      at = end
    }
    return undefined
  }

  #look(type: string | null, token: string, at: number, end: number): ScanFinding | undefined {
    if (type === 'newline') this.#keyColumn = undefined
    else if (type !== 'space' && !isIndicator(type)) this.#keyColumn ??= this.#column
    switch (type ?? '') {
      case 'flow-map-start':
      case 'flow-seq-start':
        this.#flow.push(at)
        return this.#node(at) ?? this.#depth(at)
      case 'flow-map-end':
      case 'flow-seq-end':
        this.#flow.pop()
        return undefined
      case 'seq-item-ind':
      case 'explicit-key-ind':
      case 'map-value-ind':
        return this.#node(at) ?? this.#block(type === 'map-value-ind' ? this.#keyColumn : undefined, at)
      case 'scalar-text':
      case 'comma':
        return this.#node(at)
      case 'single-quoted-scalar':
      case 'double-quoted-scalar':
        return isClosed(token) ? this.#node(at) : unclosed(this.#text, at)
      case 'anchor':
        return ++this.#anchors > maxAliases ? tooManyAliases(at, end) : undefined
      case 'alias':
        return ++this.#aliases > maxAliases ? tooManyAliases(at, end) : this.#node(at)
      case 'tag':
        return this.#flow.length === 0 ? tagged(this.#text, at, end) : tag(token, at, end)
      case 'directive-line':
        return finding('E102', 'YAML directives are not supported', at, end, 'remove the line')
      case 'flow-error-end':
        return neverClosed(this.#text, this.#flow.at(-1) ?? at)
      default:
        return undefined
    }
  }

  #node(at: number): ScanFinding | undefined {
    return ++this.#nodes > this.#limits.nodes * 2 ? tooMany(at, this.#limits) : undefined
  }

  /** A block collection is open until a token with less indentation. */
  #block(keyColumn: number | undefined, at: number): ScanFinding | undefined {
    this.#keyColumn = undefined
    if (this.#flow.length > 0) return undefined
    const column = keyColumn ?? this.#column
    while (this.#columns.length > 0 && this.#columns.at(-1)! > column) this.#columns.pop()
    if (this.#columns.at(-1) !== column) this.#columns.push(column)
    return this.#depth(at)
  }

  #depth(at: number): ScanFinding | undefined {
    if (this.#flow.length + this.#columns.length <= maxDepth) return undefined
    return finding('E004', `maps and lists are nested deeper than ${maxDepth}`, at, at + 1, 'split the file')
  }
}

const isIndicator = (type: string | null): boolean =>
  type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind'
const isMark = (token: string): boolean =>
  token === CST.DOCUMENT || token === CST.FLOW_END || token === CST.SCALAR
const isClosed = (quoted: string): boolean => quoted.length > 1 && quoted.at(-1) === quoted[0]

function columnAfter(column: number, token: string): number {
  const newline = token.lastIndexOf('\n')
  return newline < 0 ? column + token.length : token.length - newline - 1
}

const finding = (
  code: ProblemCode,
  message: string,
  start: number,
  end: number,
  hint?: string,
): ScanFinding => ({
  code,
  message,
  start,
  end,
  ...(hint === undefined ? {} : { hint }),
})

function tag(token: string, at: number, end: number, value = token): ScanFinding {
  const hint = token.startsWith('!!')
    ? 'leave out the tag'
    : `quote text that starts with !: ${quoted(value.slice(0, 160))}`
  return finding('E102', `the tag ${token.slice(0, 40)} is not supported`, at, end, hint)
}

/** A condition that starts with a negation can be repaired. */
function tagged(text: string, at: number, end: number): ScanFinding {
  const { start, line } = lineAround(text, at)
  const token = text.slice(at, end)
  const [, key = ''] = /^\s*(?:-\s+)*([\w-]{1,80}):[ \t]+$/.exec(text.slice(start, at)) ?? []
  if (!conditionKeys.includes(key) || token.startsWith('!!')) return tag(token, at, end)
  const value = line.slice(at - start).replace(/\s+#.*$/, '')
  const repair = { start: at, end: at + value.length, value, valueStart: at }
  return { ...tag(token, at, repair.end, value), repair }
}

function lineAround(text: string, at: number): { readonly start: number; readonly line: string } {
  const start = text.lastIndexOf('\n', at) + 1
  const newline = text.indexOf('\n', at)
  const line = text.slice(start, Math.min(newline < 0 ? text.length : newline, start + 1000)).trimEnd()
  return { start, line }
}

/**
 * A value with an expression that YAML splits at a colon, so that a quote of the expression seems to start a
 * text.
 */
const cutInTwo = /^\s*(?:-\s+)*([\w-]{1,80}):[ \t]+(?=[^"'\s[{|>])(.*\$\{\{.*:\s.*)$/

function unclosed(text: string, at: number): ScanFinding {
  const { start, line } = lineAround(text, at)
  const [, key, value = ''] = cutInTwo.exec(line) ?? []
  if (key === undefined || start + line.length <= at)
    return finding(
      'E101',
      'the quote is never closed',
      at,
      at + 1,
      'close it, and indent the lines that follow',
    )
  const end = start + line.length
  const valueStart = end - value.length
  const message = 'text that contains ": " must be quoted'
  const found = finding('E101', message, valueStart, end, `write ${key}: ${quoted(value)}`)
  return { ...found, repair: { start: valueStart, end, value, valueStart } }
}

function neverClosed(text: string, at: number): ScanFinding {
  const { start, line } = lineAround(text, at)
  const isCommented = /\s#.*[}\]]/.test(line.slice(at - start))
  const hint = isCommented
    ? 'quote the text that contains #, which starts a comment'
    : 'close it, and indent the lines that follow'
  return finding('E101', 'a bracket is never closed', at, at + 1, hint)
}

const tooMany = (at: number, { nodes }: SourceLimits): ScanFinding =>
  finding('E005', `the file has more than ${nodes} keys, values and items`, at, at + 1)

const tooManyAliases = (at: number, end: number): ScanFinding =>
  finding('E006', `there are more than ${maxAliases} anchors or aliases`, at, end)
