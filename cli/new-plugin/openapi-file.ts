import { stat } from 'node:fs/promises'
import { NotFoundError, ValidationError } from '../../core/errors/errors.ts'
import {
  chooseOperations,
  generatePlugin,
  maxDocumentBytes,
  openDocument,
  operationsOf,
  type ApiDocument,
  type ApiOperation,
  type DocumentProblem,
} from '../../core/openapi/index.ts'
import { suggestNearest } from '../../core/playbook/language/did-you-mean.ts'
import { printable } from '../output/printable.ts'
import { readGiven } from '../read-given.ts'
import { canAskHere } from '../rehearsal/ask-here.ts'
import { chooseByHand } from './choose-by-hand.ts'
import type { PluginFile } from './make-plugin.ts'

/** An OpenAPI document from a file. */
export interface OpenedFile {
  readonly file: string
  readonly document: ApiDocument
  readonly operations: readonly ApiOperation[]
}

/**
 * Opens an OpenAPI document. Reads this file only.
 *
 * @throws ValidationError `openapi_invalid`, NotFoundError `file_not_found`
 */
export async function openOpenApiFile(file: string): Promise<OpenedFile> {
  if (/^https?:/i.test(file))
    throw new NotFoundError('file_not_found', `'${printable(file)}' is an address; expected a file`, {
      hint: 'download the document first',
    })
  const info = await stat(file).catch(() => undefined)
  if (info?.isCharacterDevice() || info?.isBlockDevice())
    throw new NotFoundError('file_not_found', `'${printable(file)}' is a device; expected a file`)
  const size = info?.size ?? 0
  if (size > maxDocumentBytes.json) {
    const message = `the document is too large: ${size} bytes; at most ${maxDocumentBytes.json} are allowed`
    throw invalid(file, [
      { severity: 'error', pointer: '', message, hint: 'cut it down to the operations that you need' },
    ])
  }
  const { document, problems } = openDocument(new TextDecoder().decode(await readGiven(file)))
  if (document === undefined) throw invalid(file, problems)
  const operations = operationsOf(document)
  if (operations.length === 0) throw invalid(file, document.problems)
  return { file, document, operations }
}

/** The error for a document without usable operations. */
function invalid(file: string, problems: readonly DocumentProblem[]): ValidationError {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const lines = errors.map((problem) => `\n  ${problemLine(problem)}`)
  const hint = errors[0]?.hint
  const message = `no plugin can be made from ${printable(file)}:${lines.join('')}`
  return new ValidationError('openapi_invalid', message, errors, hint === undefined ? {} : { hint })
}

/** A problem in one line. */
const problemLine = ({ pointer, message }: DocumentProblem): string =>
  `${pointer === '' ? '' : `${printable(pointer)}: `}${printable(message, 500)}`

/**
 * The operations that a text names, or those that a person chooses at the terminal: none if they change their
 * mind.
 *
 * @throws ValidationError `operations_missing`, `operation_unknown`
 */
export async function chosenOperations(
  all: readonly ApiOperation[],
  text: string | undefined,
): Promise<readonly ApiOperation[]> {
  if (text !== undefined) return requireOperations(all, text)
  if (canAskHere()) return await chooseByHand(all)
  throw new ValidationError('operations_missing', 'no operations are chosen', [], {
    hint: 'give --operations, or run the command in a terminal to choose; --list shows the operations',
  })
}

function requireOperations(operations: readonly ApiOperation[], text: string): readonly ApiOperation[] {
  const { operations: chosen, unknown } = chooseOperations(operations, text)
  const [first] = unknown
  if (first === undefined) return chosen
  const names = operations.flatMap(({ id, method, path }) => [id, `${method.toUpperCase()} ${path}`])
  const message = `the document has no operation '${printable(first)}', or more than one`
  throw new ValidationError('operation_unknown', message, [], {
    hint: suggestNearest(first, names) ?? 'give ids, numbers or `GET /path`; --list shows all',
  })
}

/**
 * The files of a plugin, and remarks for its author.
 *
 * @throws ValidationError `openapi_invalid`
 */
export function generateFrom(
  { file, document, operations }: OpenedFile,
  chosen: readonly ApiOperation[],
  name: string,
): { readonly files: readonly PluginFile[]; readonly remarks: readonly string[] } {
  const { files, notes, problems } = generatePlugin({ document, operations, chosen, name })
  if (files.length === 0) throw invalid(file, problems)
  return { files, remarks: [...notes, ...problems.map(problemLine)] }
}
