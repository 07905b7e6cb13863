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
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { callAt } from '../../core/editor/calls.ts'
import { complete } from '../../core/editor/complete.ts'
import { hover } from '../../core/editor/hover.ts'
import type { Inspection } from '../../core/editor/inspection.ts'
import type { Guide } from '../../core/editor/schema-walk.ts'
import { definitionAt, renameStep, stepNameAt } from '../../core/editor/steps.ts'
import { formatPlaybook } from '../../core/playbook/index.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { playbooksIn } from '../playbooks-in.ts'
import { toItems, toRange } from './convert.ts'
import { publishDiagnostics } from './diagnostics.ts'
import { Inspections, isPlaybook, pathOf } from './playbook-documents.ts'
import { watchFiles } from './watch-files.ts'

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
  const inspections = new Inspections(documents)
  const diagnostics = publishDiagnostics(connection, documents, inspections, catalogue)
  connection.onInitialize((client) => {
    watchFiles(connection, client, () => diagnostics.checkCallers())
    return {
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        completionProvider: { triggerCharacters: ['.', ' ', '"', "'", '{'] },
        hoverProvider: true,
        definitionProvider: true,
        renameProvider: { prepareProvider: true },
        documentFormattingProvider: true,
      },
      serverInfo: { name: 'tocsin', version },
    }
  })

  /** The playbook at a place; undefined where the document is something else. */
  async function at<T>(
    {
      textDocument,
      position,
    }: { textDocument: { uri: string }; position: { line: number; character: number } },
    answer: (document: TextDocument, offset: number, guide: Guide, inspection: Inspection) => T,
  ): Promise<T | null> {
    const document = documents.get(textDocument.uri)
    if (document === undefined || !isPlaybook(document, document.getText())) return null
    const skills = await catalogue
    const { inspection, playbooks } = inspections.of(document, skills)
    return answer(document, document.offsetAt(position), { schema, catalogue: skills, playbooks }, inspection)
  }

  connection.onCompletion((request) =>
    at(request, (document, offset, guide) => toItems(document, complete(document.getText(), offset, guide))),
  )
  connection.onHover((request) =>
    at(request, (document, offset, guide, inspection) => {
      const found = hover(inspection, offset, guide)
      return found
        ? { contents: { kind: MarkupKind.Markdown, value: found.text }, range: toRange(document, found.span) }
        : null
    }),
  )
  connection.onDefinition((request) =>
    at(request, (document, offset, guide, inspection) => {
      const file = calledFile(document, guide, inspection, offset)
      if (file !== undefined) return { uri: pathToFileURL(file).href, range: startOfFile }
      const span = definitionAt(inspection, offset)
      return span ? { uri: document.uri, range: toRange(document, span) } : null
    }),
  )
  connection.onPrepareRename((request) =>
    at(request, (document, offset, _guide, inspection) => {
      const step = stepNameAt(inspection, offset)
      return step ? { range: toRange(document, step.span), placeholder: step.id } : null
    }),
  )
  connection.onRenameRequest((request) =>
    at(request, (document, offset, _guide, inspection) => {
      const spans = renameStep(inspection, offset, request.newName)
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
  documents.listen(connection)
  connection.listen()
}

const startOfFile = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }

/** Where the playbook is that is called at an offset. */
function calledFile(
  { uri }: TextDocument,
  { playbooks }: Guide,
  inspection: Inspection,
  offset: number,
): string | undefined {
  const call = callAt(inspection, offset)
  const path = pathOf(uri)
  if (call === undefined || path === undefined || playbooks?.find(call.name, []) === undefined)
    return undefined
  return playbooksIn(dirname(path)).expectedAt(call.name)
}
