import { Composer, Lexer, Parser, YAMLParseError, type CST, type Document, type YAMLError } from 'yaml'
import type { Sliced } from '../../common/sliced.ts'
import { tokensPerSlice } from './pre-scan.ts'

/** Like `parseDocument` of the library, in time slices. */
export function* parseYaml(text: string): Sliced<Document.Parsed> {
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
    // More than two documents are the same mistake as two.
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

/** The library creates an Error per mistake; thousands of stack traces would be slow. */
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
  // Pairwise comparison takes seconds for thousands of keys; Converter finds duplicates itself.
  uniqueKeys: false,
  stringKeys: true,
  prettyErrors: false,
  logLevel: 'error',
} as const

/** Errors and warnings of the parser. */
export const errorsOf = ({ errors, warnings }: Document.Parsed): readonly YAMLError[] => [
  ...errors,
  ...warnings,
]
