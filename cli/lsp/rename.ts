import {
  ErrorCodes,
  RenameFile,
  ResponseError,
  TextDocumentEdit,
  TextEdit,
  type Location,
  type WorkspaceEdit,
} from 'vscode-languageserver'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isReservedOnWindows } from '../../core/common/reserved-names.ts'
import { callAt } from '../../core/editor/calls.ts'
import { inspectPlaybook } from '../../core/editor/inspection.ts'
import { canBeId, stepNameAt } from '../../core/editor/steps.ts'
import { playbookReference } from '../../core/editor/tests/inspect-tests.ts'
import { playbookNameIn, stepNamesIn } from '../../core/editor/tests/names-in-tests.ts'
import { namePattern } from '../../core/playbook/language/constants.ts'
import type { Span } from '../../core/playbook/language/source-text.ts'
import { toRange } from './convert.ts'
import {
  filesNamedFor,
  placesOfPlaybook,
  placesOfStepIn,
  playbookNameOf,
  stepDefinition,
  type FilePosition,
  type Project,
} from './project.ts'
import { inspectTestsAt, isTests } from './tests-documents.ts'

/** A symbol to rename, with the file of its playbook. */
type Named =
  | { readonly kind: 'step'; readonly path: string; readonly id: string; readonly span: Span }
  | { readonly kind: 'playbook'; readonly path: string; readonly id: string; readonly span: Span }

/** The step or playbook named at an offset of a playbook or test file. */
export function namedAt(path: string, text: string, offset: number, project: Project): Named | undefined {
  const isIn = ({ start, end }: Span): boolean => start <= offset && offset <= end
  const beside = (name: string): string => join(dirname(path), `${name}.yaml`)
  if (isTests(path, text)) {
    const inspection = inspectTestsAt(path, text, project.read, project.catalogue)
    const reference = join(dirname(path), playbookReference(inspection.root) ?? '')
    const own = playbookNameIn(inspection)
    if (own !== undefined && isIn(own)) return { kind: 'playbook', path: reference, id: own.name, span: own }
    const step = stepNamesIn(inspection).find(({ span }) => isIn(span))
    if (step === undefined) return undefined
    const isOwn = step.playbook === inspection.playbook?.name
    const file = isOwn ? reference : join(dirname(reference), `${step.playbook}.yaml`)
    return { kind: 'step', path: file, id: step.id, span: step.span }
  }
  const inspection = inspectPlaybook(text, project.catalogue)
  const step = stepNameAt(inspection, offset)
  if (step) return { kind: 'step', path, ...step }
  const call = callAt(inspection, offset)
  if (call !== undefined && project.read(beside(call.name)) !== undefined) {
    const start = text.indexOf(call.name, call.span.start)
    return {
      kind: 'playbook',
      path: beside(call.name),
      id: call.name,
      span: { start, end: start + call.name.length },
    }
  }
  const own = playbookNameOf(inspection.root)
  return own !== undefined && isIn(own) ? { kind: 'playbook', path, id: own.name, span: own } : undefined
}

const placesOf = ({ kind, path, id }: Named, project: Project): readonly FilePosition[] =>
  kind === 'step' ? placesOfStepIn(path, id, project) : placesOfPlaybook(path, id, project)

export function referencesOf(named: Named, project: Project): readonly Location[] {
  return placesOf(named, project).map(({ path, text, span }) => ({
    uri: uriOf(path),
    range: rangeIn(text, span),
  }))
}

/** The definition of a step id or playbook name. */
export function definitionOfNamed(named: Named, project: Project): Location | undefined {
  const { kind, path, id } = named
  if (kind === 'playbook') return { uri: uriOf(path), range: rangeIn('', { start: 0, end: 0 }) }
  const place = stepDefinition(path, id, project)
  return place && { uri: uriOf(place.path), range: rangeIn(place.text, place.span) }
}

/** Edits in all files; for a playbook also file renames, if the editor supports them. */
export function renameEdit(
  named: Named,
  newName: string,
  project: Project,
  renamesFiles: boolean,
): WorkspaceEdit | ResponseError {
  const wrong = whyNot(named, newName, project)
  if (wrong !== undefined) return new ResponseError(ErrorCodes.InvalidParams, wrong)
  const edits = Map.groupBy(placesOf(named, project), ({ path }) => path)
  const changes = Array.from(edits, ([path, places]): [string, TextEdit[]] => [
    uriOf(path),
    places.map(({ text, span }) => TextEdit.replace(rangeIn(text, span), newName)),
  ])
  if (named.kind === 'step') return { changes: Object.fromEntries(changes) }
  const files = filesNamedFor(named.path, named.id, newName, project)
  if (files.length > 0 && !renamesFiles) {
    const names = files.map(([from]) => from).join(', ')
    return new ResponseError(
      ErrorCodes.InvalidRequest,
      `this editor cannot rename files for others; rename ${names} in the editor first`,
    )
  }
  return {
    documentChanges: [
      ...changes.map(([uri, text]) => TextDocumentEdit.create({ uri, version: null }, text)),
      ...files.map(([from, to]) => RenameFile.create(uriOf(from), uriOf(to))),
    ],
  }
}

function whyNot({ kind, path, id }: Named, newName: string, project: Project): string | undefined {
  if (kind === 'step') {
    const text = project.read(path)
    if (text !== undefined && canBeId(inspectPlaybook(text, project.catalogue), newName)) return undefined
    const rule = 'an id that no other step has: lower-case letters, digits and _, beginning with a letter'
    return `give the step ${rule}`
  }
  if (!new RegExp(namePattern).test(newName))
    return 'give the playbook a name of lower-case letters and digits, in words joined by hyphens'
  if (isReservedOnWindows(newName)) return `choose another name: Windows reserves ${newName}`
  const taken = filesNamedFor(path, id, newName, project).find(([, to]) => project.read(to) !== undefined)
  return taken && `${taken[1]} exists; choose another name`
}

const uriOf = (path: string): string => pathToFileURL(path).href

const rangeIn = (text: string, span: Span) => toRange(TextDocument.create('', 'yaml', 0, text), span)
