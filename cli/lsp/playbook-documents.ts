import type { TextDocuments } from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInPluginsFolder, pluginFile, pluginFilesIn, pluginSchema } from '../../core/declarative/index.ts'
import { inspectPlaybook, inspectPlugin, type Inspection } from '../../core/editor/inspection.ts'
import type { Guide } from '../../core/editor/schema-walk.ts'
import type { CallablePlaybooks } from '../../core/playbook/scope/context.ts'
import { callablePlaybooks } from '../../core/playbook/read/callable-playbooks.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { playbooksIn, readIfThere } from '../playbooks-in.ts'
import { inspectTestsAt, isTests } from './tests-documents.ts'

const isMarked = /^\s*["']?apiVersion["']?\s*:\s*["']?tocsin\//m
const hasKey = (name: string): RegExp => new RegExp(`^["']?${name}["']?\\s*:`, 'm')

export type DocumentKind = 'playbook' | 'plugin' | 'tests'

/** Playbooks and plugins are known without their `apiVersion` too; undefined for other YAML files. */
export function documentKind(uri: string, text: string): DocumentKind | undefined {
  if (isTests(uri, text)) return 'tests'
  if (/\.test\.ya?ml$/.test(uri)) return undefined
  const isNew = text.trim() === ''
  const isNamedPlugin = uri.endsWith(`/${pluginFile}`)
  if (isMarked.test(text) || isNew)
    return isNamedPlugin || hasKey('plugin').test(text) ? 'plugin' : 'playbook'
  if (hasKey('plugin').test(text) && (isNamedPlugin || hasKey('skills').test(text))) return 'plugin'
  return hasKey('on').test(text) && hasKey('steps').test(text) ? 'playbook' : undefined
}

/** The completion of a plugin needs neither its examples nor its schemas, whose check is slow. */
export const pluginGuide: Guide = {
  schema: pluginSchema,
  catalogue: undefined,
  inspect: (text) => inspectPlugin(text, { isThorough: false }),
}

/** The plugin with its examples as they are on disk. */
function inspectPluginAt(path: string | undefined, text: string): Inspection {
  if (path === undefined) return inspectPlugin(text, {})
  const folder = dirname(path)
  return inspectPlugin(text, {
    files: pluginFilesIn(folder),
    folder: isInPluginsFolder(path) ? basename(folder) : undefined,
  })
}

/** The content of a playbook or plugin, and the playbooks that a playbook can call. */
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
    const text = document.getText()
    if (documentKind(document.uri, text) === 'plugin')
      return { inspection: inspectPluginAt(path, text), playbooks: undefined }
    const playbooks =
      path === undefined ? undefined : callablePlaybooks(playbooksIn(dirname(path), this.read), catalogue)
    return { inspection: inspectPlaybook(text, catalogue, playbooks), playbooks }
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

/** Problems of a playbook, plugin or test file; none for other documents. */
export function problemsOf(
  document: TextDocument,
  inspections: Inspections,
  catalogue: Catalogue | undefined,
): readonly Problem[] {
  const text = document.getText()
  const kind = documentKind(document.uri, text)
  if (kind === 'tests')
    return inspectTestsAt(filePathOf(document.uri), text, inspections.read, catalogue).problems
  return kind === undefined ? [] : inspections.of(document, catalogue).inspection.problems
}

/** Undefined for an unsaved document, which has no folder. */
export const filePathOf = (uri: string): string | undefined =>
  uri.startsWith('file:') ? fileURLToPath(uri) : undefined
