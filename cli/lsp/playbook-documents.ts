import type { TextDocuments } from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspectPlaybook, type Inspection } from '../../core/editor/inspection.ts'
import type { CallablePlaybooks } from '../../core/playbook/scope/callable-playbooks.ts'
import { callablePlaybooks } from '../../core/playbook/scope/callable-playbooks.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { playbooksIn, readIfThere } from '../playbooks-in.ts'
import { inspectTestsAt, isTests } from './tests-documents.ts'

const isMarked = /^\s*["']?apiVersion["']?\s*:\s*["']?tocsin\//m
const hasKey = (name: string): RegExp => new RegExp(`^["']?${name}["']?\\s*:`, 'm')

/** Whether the document is a playbook, if only one whose `apiVersion` is still missing: other YAML of a project is none of our business. */
export function isPlaybook({ uri }: TextDocument, text: string): boolean {
  if (/\.test\.ya?ml$/.test(uri)) return false
  return isMarked.test(text) || (hasKey('on').test(text) && hasKey('steps').test(text)) || text.trim() === ''
}

/** A playbook as it is known: what is in it, and what it can call. */
export interface Known {
  readonly inspection: Inspection
  readonly playbooks: CallablePlaybooks | undefined
}

/** What is known of each document, read anew when any document has changed: it may call what is in another one. */
export class Inspections {
  readonly #documents: TextDocuments<TextDocument>
  readonly #known = new Map<string, Known>()

  constructor(documents: TextDocuments<TextDocument>) {
    this.#documents = documents
  }

  of(document: TextDocument, catalogue: Catalogue | undefined): Known {
    const known = this.#known.get(document.uri) ?? this.#inspect(document, catalogue)
    this.#known.set(document.uri, known)
    return known
  }

  /** Of the same documents, with nothing known yet: for a text that is tried. */
  alone(): Inspections {
    return new Inspections(this.#documents)
  }

  forgetAll(): void {
    this.#known.clear()
  }

  #inspect(document: TextDocument, catalogue: Catalogue | undefined): Known {
    const path = pathOf(document.uri)
    const playbooks =
      path === undefined ? undefined : callablePlaybooks(playbooksIn(dirname(path), this.read), catalogue)
    return { inspection: inspectPlaybook(document.getText(), catalogue, playbooks), playbooks }
  }

  /** A file; what has been typed counts before what has been saved. */
  readonly read = (path: string): string | undefined => this.#open(path) ?? readIfThere(path)

  #open(path: string): string | undefined {
    return this.#documents
      .all()
      .find(({ uri }) => pathOf(uri) === path)
      ?.getText()
  }
}

/** What is wrong with a playbook or a file of tests; nothing with any other document. */
export function problemsOf(
  document: TextDocument,
  inspections: Inspections,
  catalogue: Catalogue | undefined,
): readonly Problem[] {
  const text = document.getText()
  if (isTests(document.uri, text))
    return inspectTestsAt(pathOf(document.uri), text, inspections.read, catalogue).problems
  return isPlaybook(document, text) ? inspections.of(document, catalogue).inspection.problems : []
}

/** Undefined for a document that is not a file yet: nothing stands beside it. */
export const pathOf = (uri: string): string | undefined =>
  uri.startsWith('file:') ? fileURLToPath(uri) : undefined
