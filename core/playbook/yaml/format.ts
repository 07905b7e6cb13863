import {
  CST,
  Lexer,
  parseDocument,
  stringify,
  type Document,
  type DocumentOptions,
  type ParseOptions,
  type SchemaOptions,
  type ScalarTag,
  type Tags,
} from 'yaml'
import { isDeepStrictEqual } from 'node:util'
import type { Node } from './document.ts'
import { openSource } from './open-source.ts'
import type { Problem } from '../language/problem.ts'

/**
 * Maximum width of a flow map or list on one line; wider ones take a line per entry. Texts are never broken.
 */
const maxWidth = 110

type Formatted =
  | { readonly kind: 'formatted'; readonly text: string }
  /** The source has errors; nothing is changed. */
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  /** Formatting would change the content; nothing is changed. */
  | { readonly kind: 'kept'; readonly reason: string }

/**
 * Formats a playbook: two spaces of indentation, lists indented below their key, one space inside braces, at
 * most one blank line, no trailing white space. Keeps the order of keys, comments and quotes. Formatting is
 * idempotent and keeps the content.
 *
 * @param file shown with the problems
 */
export function formatPlaybook(source: string | Uint8Array, file?: string): Formatted {
  const { source: opened, problems, root: before } = openSource(source, file)
  if (before === undefined || problems.hasErrors) return { kind: 'refused', problems: problems.list() }
  const body = opened.text
  const formatted = write(body)
  const reason = whatChanged(body, before, formatted)
  return reason === undefined ? { kind: 'formatted', text: formatted } : { kind: 'kept', reason }
}

const options: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  stringKeys: true,
  keepSourceTokens: true,
  customTags: (tags: Tags) =>
    tags.map((tag) =>
      typeof tag === 'object' && (tag.collection ?? 'scalar') === 'scalar'
        ? asWritten(tag as ScalarTag)
        : tag,
    ),
}

function write(text: string): string {
  const source = text.replaceAll('\r\n', '\n')
  const document: Document = parseDocument(source, options)
  const written = document.toString({ lineWidth: maxWidth, flowCollectionPadding: true, trailingComma: true })
  return tidy(written, source)
}

/** Keeps texts and numbers as written: the library would wrap long texts and write 31 for 0x1F. */
function asWritten(tag: ScalarTag): ScalarTag {
  return {
    ...tag,
    stringify(item, context, onComment, onChompKeep) {
      const { srcToken: token, comment } = item
      if (
        token !== undefined &&
        'source' in token &&
        token.type !== 'block-scalar' &&
        !token.source.includes('\n')
      ) {
        return token.source
      }
      const folded =
        token?.type === 'block-scalar' && comment == null ? sameFolds(token, context.indent) : undefined
      return folded ?? tag.stringify!(item, context, onComment, onChompKeep)
    },
  }
}

/**
 * A folded text with its lines as written and new indentation; undefined for headers other than `>` and `>-`.
 */
function sameFolds({ props, source }: CST.BlockScalar, indent: string): string | undefined {
  const header = props.find((prop) => prop.type === 'block-scalar-header')
  const head = header && 'source' in header ? header.source : ''
  if (head !== '>' && head !== '>-') return undefined
  const lines = source.split('\n')
  while (lines.at(-1)?.trim() === '') lines.pop()
  const first = lines.find((line) => line.trim() !== '')
  const old = first === undefined ? 0 : first.length - first.trimStart().length
  const inner = indent === '' ? '  ' : indent
  return [head, ...lines.map((line) => (line.trim() === '' ? '' : inner + line.slice(old)))].join('\n')
}

/**
 * Completes the library's output: `[a, b]` without padding, single blank lines, comments after the same key.
 */
function tidy(text: string, source: string): string {
  const behindKey = commentsOf(source).map(({ isBehindKey }) => isBehindKey)
  const tokens = tokensOf(text)
  const kept: string[] = []
  let comments = 0
  for (const [index, { text: token, type }] of tokens.entries()) {
    const before = tokens[index - 1]
    const isPadding =
      type === 'space' && (before?.type === 'flow-seq-start' || tokens[index + 1]?.type === 'flow-seq-end')
    if (isPadding && before?.type !== 'newline') continue
    if (type === 'newline' && kept.at(-1) === '\n' && kept.at(-2) === '\n') continue
    if (type === 'comment' && behindKey[comments++] === true) joinToKey(kept)
    kept.push(token)
  }
  return kept.join('')
}

/** Joins the next token to the line of the key before it, if that line ends with the key. */
function joinToKey(kept: string[]): void {
  const lineEnd = kept.findLastIndex((token) => token === '\n')
  const isAlone = kept.slice(lineEnd + 1).every((token) => /^ +$/.test(token))
  if (isAlone && kept[lineEnd - 1] === ':') kept.splice(lineEnd, kept.length, ' ')
}

interface Token {
  readonly text: string
  readonly type: CST.TokenType | 'scalar-text' | null
}

/** The tokens of a text, which together make up the text. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    const type: Token['type'] = isScalar ? 'scalar-text' : CST.tokenType(token)
    isScalar = type === 'scalar'
    if (!isScalar && type !== 'doc-mode' && type !== 'flow-error-end') tokens.push({ text: token, type })
  }
  return tokens
}

function commentsOf(text: string): readonly { readonly text: string; readonly isBehindKey: boolean }[] {
  const tokens = tokensOf(text)
  return tokens.flatMap(({ text: token, type }, index) => {
    if (type !== 'comment') return []
    const before = tokens.slice(Math.max(0, index - 2), index).filter((each) => each.type !== 'space')
    return [{ text: token.trim(), isBehindKey: before.at(-1)?.type === 'map-value-ind' }]
  })
}

/** The safeguard: content and comments must be unchanged. */
function whatChanged(before: string, was: Node, after: string): string | undefined {
  const { root: is, problems } = openSource(after, undefined)
  if (is === undefined || problems.hasErrors || !isDeepStrictEqual(valueOf(is), valueOf(was))) {
    return 'its content would change'
  }
  return isDeepStrictEqual(notes(after), notes(before)) ? undefined : 'a comment would be moved or lost'
}

/** The content, with the order of keys. */
function valueOf(node: Node): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(valueOf)
  return { entries: node.entries.map(({ name, value }) => [name, valueOf(value)]) }
}

const notes = (text: string): readonly string[] => commentsOf(text).map((comment) => comment.text)

/** The value as readable YAML: block style, quotes only where necessary. */
export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.2', schema: 'core', lineWidth: 110, aliasDuplicateObjects: false })
}
