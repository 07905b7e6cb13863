import type { Sliced } from '../common/sliced.ts'
import { ConflictError, ValidationError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { callablePlaybooks } from '../playbook/read/callable-playbooks.ts'
import { parseInSlices } from '../playbook/read/parse.ts'
import { parseWithCalledInSlices } from '../playbook/read/parse-with-called.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Problem } from '../playbook/language/problem.ts'
import { isSeenWith } from './playbook-owner.ts'
import type { Publication } from '../ports/playbook-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** The result of checking a source before it is published. */
export interface CheckedEdit {
  /** Undefined if there are errors. */
  readonly playbook: Playbook | undefined
  /** The playbooks that it calls directly or indirectly, by name; complete if there are no errors. */
  readonly called: ReadonlyMap<string, Playbook>
  /** Errors and warnings. */
  readonly problems: readonly Problem[]
}

/** A source that may be published. */
export interface AcceptedEdit {
  readonly playbook: Playbook
  /** Only warnings. */
  readonly problems: readonly Problem[]
}

/** A new source for a playbook, or its deletion. */
export interface PlaybookChange {
  readonly name: string
  /** null: the playbook is deleted. */
  readonly source: string | null
}

/** A change by somebody who saw a version of the playbook. */
export interface SeenChange extends PlaybookChange {
  /** Content hash of the published version that was seen; null: there was none; `*`: any. */
  readonly seen: string | null
  readonly publication?: Publication | undefined
}

/** Checks a source together with the live playbooks that it calls, except those of organizations that are not known. */
export function* checkBeside(
  source: string,
  live: readonly Playbook[],
  catalogue: Catalogue,
  known?: KnownNames,
): Sliced<CheckedEdit> {
  const beside = sourcesOf(live.filter((playbook) => isSeenWith(known, playbook)))
  const { playbook, called, problems } = yield* parseWithCalledInSlices(source, { catalogue, known, beside })
  return { playbook, called, problems }
}

interface CheckOptions {
  readonly catalogue: Catalogue
  readonly known?: KnownNames | undefined
}

/**
 * Checks that changes may be published together: the new sources beside each other and the playbooks that stay, and those that stay
 * beside the new ones.
 *
 * @returns the playbooks of the new sources, in the order of the changes
 * @throws PlaybookError with every problem of the first source with errors
 * @throws ValidationError `playbook_renamed` if a source has a different name than its change
 * @throws ConflictError `playbook_in_use` if a playbook that calls a changed one, or a shadow beside it, would no longer be valid
 */
export function* checkChanges(
  changes: readonly PlaybookChange[],
  live: readonly Playbook[],
  { catalogue, known }: CheckOptions,
): Sliced<readonly AcceptedEdit[]> {
  const after = sourcesOf(live.filter((playbook) => isSeenWith(known, playbook)))
  for (const { name, source } of changes) {
    if (source === null) after.delete(name)
    else after.set(name, source)
  }
  const playbooks = callablePlaybooks(after, catalogue)
  const accepted: AcceptedEdit[] = []
  for (const { name, source } of changes) {
    if (source === null) continue
    const { playbook, problems } = yield* parseInSlices(source, { catalogue, known, playbooks })
    if (playbook === undefined) throw new PlaybookError('the playbook', problems)
    if (playbook.name !== name) throw renamed(name, playbook.name)
    accepted.push({ playbook, problems })
  }
  const changed = new Set(changes.map(({ name }) => name))
  for (const other of live) {
    const used = changed.has(other.name) ? undefined : usedBy(other).find((name) => changed.has(name))
    if (used === undefined) continue
    const { problems } = yield* parseInSlices(other.source, { catalogue, playbooks })
    const error = problems.find(({ severity }) => severity === 'error')
    if (error !== undefined) throw inUse(other, used, error)
  }
  return accepted
}

const sourcesOf = (playbooks: readonly Playbook[]): Map<string, string> =>
  new Map(playbooks.map(({ name, source }) => [name, source]))

/** Names of the playbooks that a playbook needs. */
const usedBy = ({ calls, shadow }: Playbook): readonly string[] =>
  shadow?.beside === undefined ? calls : [...calls, shadow.beside]

const renamed = (name: string, defined: string) =>
  new ValidationError('playbook_renamed', `the source defines '${defined}', not '${name}'`, [], {
    hint: 'keep the name, or write the other playbook at its own address',
  })

const inUse = ({ name, calls }: Playbook, used: string, { message }: Problem) =>
  new ConflictError(
    'playbook_in_use',
    `'${name}' ${calls.includes(used) ? 'calls it' : 'runs beside it'} and would break: ${message}`,
    { hint: `change '${name}' first, or keep the inputs and outputs that it uses` },
  )
