import {
  CodeActionKind,
  MarkupKind,
  TextDocuments,
  TextDocumentSyncKind,
  TextEdit,
  type Connection,
  type ServerCapabilities,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
} from 'vscode-languageserver'
import { createConnection } from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { outlineOf } from '../../core/editor/assist/outline.ts'
import { complete } from '../../core/editor/completion/complete.ts'
import { hover } from '../../core/editor/hover.ts'
import { inspectPlaybook, type Inspection } from '../../core/editor/inspection.ts'
import type { Guide } from '../../core/editor/schema-walk.ts'
import { definitionAt } from '../../core/editor/steps.ts'
import { completeTests } from '../../core/editor/tests/complete-tests.ts'
import { formatPlaybook } from '../../core/playbook/yaml/format.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { codeActions, signatureHelp, toSymbols } from './assist.ts'
import { toItems, toRange } from './convert.ts'
import { publishDiagnostics } from './diagnostics.ts'
import {
  filePathOf,
  Inspections,
  documentKind,
  pluginGuide,
  problemsOf,
  type DocumentKind,
} from './playbook-documents.ts'
import type { Project } from './project.ts'
import { definitionOfNamed, namedAt, referencesOf, renameEdit } from './rename.ts'
import { inspectTestsAt, testsGuide } from './tests-documents.ts'

interface Options {
  readonly version: string
  readonly schema: JsonSchema
  /** For test files. */
  readonly testsSchema: JsonSchema
  /** Undefined: skills are unknown, everything else works. */
  readonly catalogue: Promise<Catalogue | undefined>
}

const capabilities: ServerCapabilities = {
  textDocumentSync: TextDocumentSyncKind.Incremental,
  completionProvider: { triggerCharacters: ['.', ' ', '"', "'", '{'] },
  hoverProvider: true,
  signatureHelpProvider: { triggerCharacters: ['(', ','] },
  definitionProvider: true,
  referencesProvider: true,
  documentSymbolProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
  renameProvider: { prepareProvider: true },
  documentFormattingProvider: true,
}

interface Desk extends Options {
  readonly connection: Connection
  readonly documents: TextDocuments<TextDocument>
  readonly inspections: Inspections
  /** Whether the editor supports file renames. */
  renamesFiles: boolean
}

/** Serves the Language Server Protocol on standard input and output, until the editor ends it. */
export function serveLanguage(options: Options): void {
  const connection = createConnection(process.stdin, process.stdout)
  const documents = new TextDocuments(TextDocument)
  const inspections = new Inspections(documents)
  const diagnostics = publishDiagnostics(connection, documents, inspections, options.catalogue)
  const desk: Desk = { ...options, connection, documents, inspections, renamesFiles: false }
  connection.onInitialize((client) => {
    watchFiles(connection, client, () => diagnostics.checkCallers())
    const { workspaceEdit } = client.capabilities.workspace ?? {}
    desk.renamesFiles =
      workspaceEdit?.documentChanges === true && workspaceEdit.resourceOperations?.includes('rename') === true
    return { capabilities, serverInfo: { name: 'tocsin', version: options.version } }
  })
  answerWhileTyping(desk)
  answerAboutNames(desk)
  answerAboutDocuments(desk)
  documents.listen(connection)
  connection.listen()
}

interface Asked {
  readonly textDocument: { readonly uri: string }
  readonly position: { readonly line: number; readonly character: number }
}

interface Place {
  readonly kind: DocumentKind
  readonly document: TextDocument
  readonly text: string
  readonly offset: number
  readonly skills: Catalogue | undefined
}

/** A position in a playbook, plugin or test file; undefined in other documents. */
async function placeOf(
  { documents, catalogue }: Desk,
  { textDocument, position }: Asked,
): Promise<Place | undefined> {
  const document = documents.get(textDocument.uri)
  const text = document?.getText() ?? ''
  const kind = documentKind(textDocument.uri, text)
  if (document === undefined || kind === undefined) return undefined
  return { kind, document, text, offset: document.offsetAt(position), skills: await catalogue }
}

/** The document at a position, with its path and context. */
function guideAt(
  desk: Desk,
  { kind, document, text, skills }: Place,
): { inspection: Inspection; guide: Guide } {
  const { inspections, schema, testsSchema } = desk
  if (kind === 'tests') {
    const { root, source, problems } = inspectTestsAt(
      filePathOf(document.uri),
      text,
      inspections.read,
      skills,
    )
    const guide = { schema: testsSchema, catalogue: skills }
    return { inspection: { root, source, problems, expressions: [] }, guide }
  }
  const { inspection, playbooks } = inspections.of(document, skills)
  return {
    inspection,
    guide: kind === 'plugin' ? pluginGuide : { schema, catalogue: skills, playbooks, nowMs: Date.now() },
  }
}

function answerWhileTyping(desk: Desk): void {
  const { connection, inspections, testsSchema } = desk
  connection.onCompletion(async (request) => {
    const place = await placeOf(desk, request)
    if (place === undefined) return null
    const { kind, document, text, offset, skills } = place
    if (kind !== 'tests') return toItems(document, complete(text, offset, guideAt(desk, place).guide))
    const guide = testsGuide(filePathOf(document.uri), inspections.read, skills, testsSchema)
    return toItems(document, completeTests(text, offset, guide))
  })
  connection.onHover(async (request) => {
    const place = await placeOf(desk, request)
    if (place === undefined) return null
    const { inspection, guide } = guideAt(desk, place)
    const found = hover(inspection, place.offset, guide)
    return found
      ? {
          contents: { kind: MarkupKind.Markdown, value: found.text },
          range: toRange(place.document, found.span),
        }
      : null
  })
  connection.onSignatureHelp(async (request) => {
    const place = await placeOf(desk, request)
    return place === undefined ? null : signatureHelp(place.document, place.offset)
  })
}

function answerAboutNames(desk: Desk): void {
  const { connection, inspections } = desk
  const named = async (request: Asked) => {
    const place = await placeOf(desk, request)
    if (place === undefined || place.kind === 'plugin') return undefined
    const { document, text, offset, skills } = place
    // An unsaved document has no neighbors.
    const path = filePathOf(document.uri) ?? unsaved
    const read = (file: string) => (file === unsaved ? text : inspections.read(file))
    const project: Project = { read, catalogue: skills }
    return { ...place, project, path, found: namedAt(path, text, offset, project) }
  }
  connection.onDefinition(async (request) => {
    const place = await named(request)
    if (place === undefined) return null
    const { kind, found, document, offset, project, path } = place
    if (found !== undefined && path !== unsaved) return definitionOfNamed(found, project) ?? null
    const span = kind === 'tests' ? undefined : definitionAt(guideAt(desk, place).inspection, offset)
    return span ? { uri: document.uri, range: toRange(document, span) } : null
  })
  connection.onReferences(async (request) => {
    const place = await named(request)
    const locations = place?.found && referencesOf(place.found, place.project)
    return locations?.map((each) => inUnsaved(each, place!.document.uri)) ?? null
  })
  connection.onPrepareRename(async (request) => {
    const place = await named(request)
    if (place?.found === undefined) return null
    return { range: toRange(place.document, place.found.span), placeholder: place.found.id }
  })
  connection.onRenameRequest(async (request) => {
    const place = await named(request)
    if (place?.found === undefined) return null
    const edit = renameEdit(place.found, request.newName, place.project, desk.renamesFiles)
    if (!('changes' in edit) || edit.changes === undefined || place.path !== unsaved) return edit
    return { changes: { [place.document.uri]: Object.values(edit.changes).flat() } }
  })
}

/** Path of an unsaved document. */
const unsaved = '/unsaved/playbook.yaml'

const inUnsaved = <T extends { readonly uri: string }>(location: T, uri: string): T =>
  location.uri.endsWith(unsaved) ? { ...location, uri } : location

function answerAboutDocuments(desk: Desk): void {
  const { connection, documents, inspections, catalogue } = desk
  connection.onDocumentSymbol(({ textDocument }) => {
    const document = documents.get(textDocument.uri)
    const text = document?.getText() ?? ''
    if (document === undefined || documentKind(textDocument.uri, text) === undefined) return null
    return toSymbols(document, outlineOf(inspectPlaybook(text, undefined).root))
  })
  connection.onCodeAction(async ({ textDocument, range }) => {
    const document = documents.get(textDocument.uri)
    if (document === undefined) return null
    const skills = await catalogue
    const check = (text: string) =>
      problemsOf(TextDocument.create(document.uri, 'yaml', 0, text), inspections.alone(), skills)
    return [...codeActions(document, range, check)]
  })
  connection.onDocumentFormatting(({ textDocument }) => {
    const document = documents.get(textDocument.uri)
    const text = document?.getText() ?? ''
    const kind = documentKind(textDocument.uri, text)
    const formatted = kind === undefined || kind === 'tests' ? undefined : formatPlaybook(text)
    if (document === undefined || formatted?.kind !== 'formatted' || formatted.text === text) return []
    return [TextEdit.replace(toRange(document, { start: 0, end: text.length }), formatted.text)]
  })
}

/** Asks the editor to report file changes on disk: a called playbook or an example may change without being open. */
function watchFiles(connection: Connection, { capabilities }: InitializeParams, changed: () => void): void {
  connection.onDidChangeWatchedFiles(changed)
  if (capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration !== true) return
  connection.onInitialized(() => {
    void connection.client
      .register(DidChangeWatchedFilesNotification.type, {
        watchers: [{ globPattern: '**/*.{yaml,yml}' }, { globPattern: '**/examples/**/*.json' }],
      })
      .catch((error: unknown) => connection.console.error(`files cannot be watched: ${String(error)}`))
  })
}
