import type { TextDocument } from 'vscode-languageserver-textdocument'
import { inspectPlaybook, type Inspection } from '../../core/editor/inspection.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'

/** Whether the document is a playbook: other YAML of a project is none of our business. */
export function isPlaybook({ uri }: TextDocument, text: string): boolean {
  if (/\.test\.ya?ml$/.test(uri)) return false
  return /^\s*["']?apiVersion["']?\s*:\s*["']?tocsin\//m.test(text) || text.trim() === ''
}

/** What is known of each document, read anew when its version changes. */
export class Inspections {
  readonly #known = new Map<string, { readonly version: number; readonly inspection: Inspection }>()

  of(document: TextDocument, catalogue: Catalogue | undefined): Inspection {
    const known = this.#known.get(document.uri)
    if (known?.version === document.version) return known.inspection
    const inspection = inspectPlaybook(document.getText(), catalogue)
    this.#known.set(document.uri, { version: document.version, inspection })
    return inspection
  }

  forget(uri: string): void {
    this.#known.delete(uri)
  }
}
