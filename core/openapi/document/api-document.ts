import { load, YAMLException } from 'js-yaml'
import { parseJson } from '../../common/json.ts'
import type { PointedMessage } from '../../errors/errors.ts'
import { isObject, TocsinError, valueAt, type JsonObject } from '../../plugin/index.ts'

/** A problem of an OpenAPI document; `pointer` is the place. Nothing is generated if one is an error. */
export interface DocumentProblem extends PointedMessage {
  readonly severity: 'error' | 'warning'
  readonly hint?: string
}

/** Largest documents, in bytes; JSON is parsed several times as fast. */
export const maxDocumentBytes = { json: 33_554_432, yaml: 16_777_216 } as const
const maxDepth = 200
const maxProblems = 100
/** Longest chain of references. */
const maxHops = 20

/** An opened document: Swagger 2 or OpenAPI 3. It resolves references inside of it, and reads nothing else. */
export class ApiDocument {
  readonly root: JsonObject
  readonly isSwagger2: boolean
  readonly #problems = new Map<string, DocumentProblem>()

  constructor(root: JsonObject) {
    this.root = root
    this.isSwagger2 = valueAt(root, 'swagger') !== undefined
  }

  get problems(): readonly DocumentProblem[] {
    return [...this.#problems.values()]
  }

  /** Records a problem; the same one only once. */
  add(problem: DocumentProblem): void {
    const key = `${problem.pointer} ${problem.message}`
    if (this.#problems.size < maxProblems && !this.#problems.has(key)) this.#problems.set(key, problem)
  }

  /**
   * The value that a `$ref` leads to, or the value itself. Undefined if it leads outside of the document, in a
   * circle or nowhere, which is recorded.
   */
  resolve(value: unknown): unknown {
    let at = value
    for (let hops = 0; hops < maxHops; hops++) {
      const reference = valueAt(at, '$ref')
      if (typeof reference !== 'string') return at
      if (!reference.startsWith('#')) {
        this.add(externalReference(reference))
        return undefined
      }
      at = this.#target(reference)
      if (at === undefined) {
        const message = 'this $ref leads nowhere; its value is taken as unknown'
        this.add({ severity: 'warning', pointer: shortened(reference), message })
        return undefined
      }
    }
    const message = 'this $ref leads in a circle; its value is taken as unknown'
    this.add({ severity: 'warning', pointer: shortened(String(valueAt(value, '$ref'))), message })
    return undefined
  }

  #target(reference: string): unknown {
    const parts = reference.slice(1).split('/')
    if (parts.shift() !== '') return undefined
    return parts.reduce<unknown>((at, part) => {
      const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
      if (Array.isArray(at)) return /^\d{1,9}$/.test(key) ? at[Number(key)] : undefined
      return valueAt(at, key)
    }, this.root)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const externalReference = (reference: string): DocumentProblem => ({
  severity: 'error',
  pointer: shortened(reference),
  message: 'this $ref leads to another file or address, which is not read',
  hint: 'bundle the document into one file first, for example with `npx @redocly/cli bundle`',
})

const shortened = (text: string): string =>
  text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text

/**
 * Opens a document in JSON or YAML. Never throws.
 *
 * @returns the document, undefined if it cannot be used; and why
 */
export function openDocument(text: string): {
  readonly document: ApiDocument | undefined
  readonly problems: readonly DocumentProblem[]
} {
  const value = parsed(text)
  const problem = 'problem' in value ? value.problem : versionProblem(value.root)
  if (problem !== undefined) return { document: undefined, problems: [problem] }
  return { document: new ApiDocument((value as { root: JsonObject }).root), problems: [] }
}

function parsed(text: string): { readonly root: unknown } | { readonly problem: DocumentProblem } {
  const isJson = /^\uFEFF?\s*[[{]/.test(text)
  const limit = maxDocumentBytes[isJson ? 'json' : 'yaml']
  if (Buffer.byteLength(text) > limit)
    return failed(
      `the document is too large: at most ${limit / 1_048_576} MB of ${isJson ? 'JSON' : 'YAML'}`,
      {
        hint: isJson
          ? 'cut it down to the operations that you need'
          : 'convert it to JSON, which may be larger',
      },
    )
  try {
    if (isJson) return { root: parseJson(text.replace(/^\uFEFF/, ''), { maxDepth }) }
    // Reading millions of empty documents would take minutes.
    if (hasSeveralDocuments(text))
      return failed('the file contains several YAML documents', {
        hint: 'keep the one that describes the API',
      })
    return { root: load(text, { maxDepth }) }
  } catch (error) {
    return failed(reasonOf(error), { hint: 'expected an OpenAPI document in JSON or YAML' })
  }
}

/** Whether there are more markers than at the start and the end of one document. */
function hasSeveralDocuments(text: string): boolean {
  const markers = text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)
  return [...markers.take(3)].length === 3
}

function reasonOf(error: unknown): string {
  if (error instanceof YAMLException) {
    const place = error.mark === undefined || error.mark === null ? '' : ` in line ${error.mark.line + 1}`
    return `the document is not valid YAML: ${error.reason}${place}`
  }
  if (error instanceof TocsinError) return `the document cannot be read: ${error.message}`
  // The parser exceeded the stack, or the maximum length of a string.
  return 'the document cannot be read: it is nested too deep or too large'
}

const failed = (message: string, { hint }: { hint: string }): { problem: DocumentProblem } => ({
  problem: { severity: 'error', pointer: '', message, hint },
})

function versionProblem(root: unknown): DocumentProblem | undefined {
  const hint = 'give an OpenAPI document of version 3.0 or 3.1, or a Swagger document of version 2.0'
  if (!isObject(root))
    return { severity: 'error', pointer: '', message: 'the document is not an object', hint }
  const given = valueAt(root, 'openapi') ?? valueAt(root, 'swagger')
  if (given === undefined)
    return {
      severity: 'error',
      pointer: '',
      message: 'the document has neither `openapi` nor `swagger`',
      hint,
    }
  const version = typeof given === 'number' ? String(given) : typeof given === 'string' ? given : ''
  const isKnown = valueAt(root, 'openapi') === undefined ? /^2(\.|$)/.test(version) : version.startsWith('3.')
  if (isKnown) return undefined
  const message = `version ${JSON.stringify(version.slice(0, 20))} is not supported`
  return { severity: 'error', pointer: '', message, hint }
}
