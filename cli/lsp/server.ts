import {
  MarkupKind,
  ResponseError,
  ErrorCodes,
  TextDocumentSyncKind,
  TextDocuments,
  TextEdit,
} from 'vscode-languageserver'
import { createConnection } from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { complete } from '../../core/editor/complete.ts'
import { hover } from '../../core/editor/hover.ts'
import type { Guide } from '../../core/editor/schema-walk.ts'
import { definitionAt, renameStep, stepNameAt } from '../../core/editor/steps.ts'
import { formatPlaybook } from '../../core/playbook/index.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { toItems, toRange } from './convert.ts'
import { publishDiagnostics } from './diagnostics.ts'
import { Inspections, isPlaybook } from './playbook-documents.ts'

interface Options {
  readonly version: string
  readonly schema: JsonSchema
  /** Without it skills are not known, and the rest works all the same. */
  readonly catalogue: Promise<Catalogue | undefined>
}

/** Speaks the Language Server Protocol on standard input and output, until the editor ends it. */
export function serveLanguage({ version, schema, catalogue }: Options): void {
  const connection = createConnection(process.stdin, process.stdout)
  const documents = new TextDocuments(TextDocument)
  const inspections = new Inspections()
  connection.onInitialize(() => ({
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: ['.', ' ', '"', "'", '{'] },
      hoverProvider: true,
      definitionProvider: true,
      renameProvider: { prepareProvider: true },
      documentFormattingProvider: true,
    },
    serverInfo: { name: 'tocsin', version },
  }))

  /** The playbook at a place; undefined where the document is something else. */
  async function at<T>(
    {
      textDocument,
      position,
    }: { textDocument: { uri: string }; position: { line: number; character: number } },
    answer: (document: TextDocument, offset: number, guide: Guide) => T,
  ): Promise<T | null> {
    const document = documents.get(textDocument.uri)
    if (document === undefined || !isPlaybook(document, document.getText())) return null
    const guide = { schema, catalogue: await catalogue }
    return answer(document, document.offsetAt(position), guide)
  }

  connection.onCompletion((request) =>
    at(request, (document, offset, guide) => toItems(document, complete(document.getText(), offset, guide))),
  )
  connection.onHover((request) =>
    at(request, (document, offset, guide) => {
      const found = hover(inspections.of(document, guide.catalogue), offset, guide)
      return found
        ? { contents: { kind: MarkupKind.Markdown, value: found.text }, range: toRange(document, found.span) }
        : null
    }),
  )
  connection.onDefinition((request) =>
    at(request, (document, offset, guide) => {
      const span = definitionAt(inspections.of(document, guide.catalogue), offset)
      return span ? { uri: document.uri, range: toRange(document, span) } : null
    }),
  )
  connection.onPrepareRename((request) =>
    at(request, (document, offset, guide) => {
      const step = stepNameAt(inspections.of(document, guide.catalogue), offset)
      return step ? { range: toRange(document, step.span), placeholder: step.id } : null
    }),
  )
  connection.onRenameRequest((request) =>
    at(request, (document, offset, guide) => {
      const spans = renameStep(inspections.of(document, guide.catalogue), offset, request.newName)
      if (spans === undefined) {
        const rule = 'an id that no other step has: lower-case letters, digits and _, beginning with a letter'
        return new ResponseError(ErrorCodes.InvalidParams, `give the step ${rule}`)
      }
      return {
        changes: {
          [document.uri]: spans.map((span) => TextEdit.replace(toRange(document, span), request.newName)),
        },
      }
    }),
  )
  connection.onDocumentFormatting(({ textDocument }) => {
    const document = documents.get(textDocument.uri)
    const text = document?.getText() ?? ''
    const formatted = document && isPlaybook(document, text) ? formatPlaybook(text) : undefined
    if (document === undefined || formatted?.kind !== 'formatted' || formatted.text === text) return []
    return [TextEdit.replace(toRange(document, { start: 0, end: text.length }), formatted.text)]
  })
  publishDiagnostics(connection, documents, inspections, catalogue)
  documents.listen(connection)
  connection.listen()
}
