import type { TextDocuments } from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspectPlaybook, type Inspection } from '../../core/editor/inspection.ts'
import type { CallablePlaybooks } from '../../core/playbook/scope/context.ts'
import { callablePlaybooks } from '../../core/playbook/read/callable-playbooks.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { playbooksIn, readIfThere } from '../playbooks-in.ts'
import { inspectTestsAt, isTests } from './tests-documents.ts'

const isMarked = /^\s*["']?apiVersion["']?\s*:\s*["']?tocsin\//m
const hasKey = (name: string): RegExp => new RegExp(`^["']?${name}["']?\\s*:`, 'm')

/** Whether the document is a playbook, perhaps without its `apiVersion` yet; ignores other YAML files. */
export function isPlaybook({ uri }: TextDocument, text: string): boolean {
  if (/\.test\.ya?ml$/.test(uri)) return false
  return isMarked.test(text) || (hasKey('on').test(text) && hasKey('steps').test(text)) || text.trim() === ''
}

/** The content of a playbook, and the playbooks it can call. */
export interface PlaybookDocument {
  readonly inspection: Inspection
  readonly playbooks: CallablePlaybooks | undefined
}

/** Parsed documents, reset after every change: playbooks may call each other. */
export class Inspections {
  readonly #documents: TextDocuments<TextDocument>
  readonly #known = new Map<string, PlaybookDocument>()

  constructor(documents: TextDocuments<TextDocument>) {
    this.#documents = documents
  }

  of(document: TextDocument, catalogue: Catalogue | undefined): PlaybookDocument {
    const known = this.#known.get(document.uri) ?? this.#inspect(document, catalogue)
    this.#known.set(document.uri, known)
    return known
  }

  /** A cache for the same documents with a modified text. */
  alone(): Inspections {
    return new Inspections(this.#documents)
  }

  forgetAll(): void {
    this.#known.clear()
  }

  #inspect(document: TextDocument, catalogue: Catalogue | undefined): PlaybookDocument {
    const path = filePathOf(document.uri)
    const playbooks =
      path === undefined ? undefined : callablePlaybooks(playbooksIn(dirname(path), this.read), catalogue)
    return { inspection: inspectPlaybook(document.getText(), catalogue, playbooks), playbooks }
  }

  /** A file; unsaved text comes first. */
  readonly read = (path: string): string | undefined => this.#open(path) ?? readIfThere(path)

  #open(path: string): string | undefined {
    return this.#documents
      .all()
      .find(({ uri }) => filePathOf(uri) === path)
      ?.getText()
  }
}

/** Problems of a playbook or a test file; none for other documents. */
export function problemsOf(
  document: TextDocument,
  inspections: Inspections,
  catalogue: Catalogue | undefined,
): readonly Problem[] {
  const text = document.getText()
  if (isTests(document.uri, text))
    return inspectTestsAt(filePathOf(document.uri), text, inspections.read, catalogue).problems
  return isPlaybook(document, text) ? inspections.of(document, catalogue).inspection.problems : []
}

/** Undefined for an unsaved document, which has no folder. */
export const filePathOf = (uri: string): string | undefined =>
  uri.startsWith('file:') ? fileURLToPath(uri) : undefined
