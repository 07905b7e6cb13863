import type { Connection, TextDocuments } from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { toDiagnostic } from './convert.ts'
import { documentKind, problemsOf, type Inspections } from './playbook-documents.ts'

/** Pause in typing before a document is checked. */
const quietMs = 150

interface Diagnostics {
  /** Rechecks open plugins, and playbooks with callees, after a change of a file that is not open. */
  checkCallers(): void
}

/** Publishes the problems of open documents after each change and a short pause. */
export function publishDiagnostics(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  inspections: Inspections,
  catalogue: Promise<Catalogue | undefined>,
): Diagnostics {
  const timers = new Map<string, NodeJS.Timeout>()

  async function check(uri: string): Promise<void> {
    const skills = await catalogue
    const document = documents.get(uri)
    if (document === undefined) return
    const problems = document.getText().trim() === '' ? [] : problemsOf(document, inspections, skills)
    // The version tells the editor which text was checked; newer text is checked next.
    await connection.sendDiagnostics({
      uri,
      version: document.version,
      diagnostics: problems.map(toDiagnostic),
    })
  }

  const giveUp = (error: unknown): void =>
    connection.console.error(`a document could not be checked: ${String(error)}`)

  const checkSoon = (uri: string, waitMs: number): void => {
    clearTimeout(timers.get(uri))
    timers.set(
      uri,
      setTimeout(() => void check(uri).catch(giveUp), waitMs),
    )
  }

  /** Callers and tests of a changed playbook, and plugins with changed examples, may now have problems. */
  const checkCallersOf = (uri: string | undefined): void => {
    inspections.forgetAll()
    const callers = documents.all().filter((other) => {
      if (other.uri === uri) return false
      const kind = documentKind(other.uri, other.getText())
      if (kind === 'plugin') return uri === undefined
      return kind === 'tests' || /\bcall *:/.test(other.getText())
    })
    for (const caller of callers) checkSoon(caller.uri, quietMs)
  }

  documents.onDidChangeContent(({ document: { uri, version } }) => {
    checkCallersOf(uri)
    checkSoon(uri, version <= 1 ? 0 : quietMs)
  })
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(timers.get(uri))
    timers.delete(uri)
    checkCallersOf(uri)
    void connection.sendDiagnostics({ uri, diagnostics: [] })
  })
  // For editors that do not watch files.
  documents.onDidSave(() => checkCallersOf(undefined))
  return { checkCallers: () => checkCallersOf(undefined) }
}
