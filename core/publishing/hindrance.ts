import type { SourceProblem } from '../errors/source-frame.ts'
import type { FolderComparison } from './compare-folder.ts'
import type { FolderState } from './playbook-files.ts'

/** Why a change of the folder is not published. */
export interface RefusedChange {
  /**
   * `errors`: files have errors; `missing`: the folder does not exist; `empty`: all files are gone; `changing`: the files are being
   * changed.
   */
  readonly reason: 'errors' | 'missing' | 'empty' | 'changing'
  /** Number of changed, new and deleted files. */
  readonly changed: number
  readonly problems: readonly SourceProblem[]
}

interface Circumstances {
  readonly state: FolderState
  /** Whether no file changed while the files were read, and no other node published. */
  readonly isStill: boolean
  readonly atStart: boolean
}

/** Why the change of the folder cannot be published; undefined: it can. */
export function hindranceOf(
  { valid, broken, changed, blocking }: FolderComparison,
  { state, isStill, atStart }: Circumstances,
): RefusedChange | undefined {
  if (changed.length === 0) return undefined
  const refuse = (reason: RefusedChange['reason'], problems: readonly SourceProblem[] = []) => ({
    reason,
    changed: changed.length,
    problems,
  })
  // A volume that is not mounted looks like a missing or an empty folder. A start is a decision of a person.
  if (!state.exists) return refuse('missing')
  if (!atStart && valid.length + broken.length === 0) return refuse('empty')
  if (!isStill) return refuse('changing')
  if (blocking.length === 0) return undefined
  return refuse(
    'errors',
    blocking.flatMap(({ errors }) => errors),
  )
}

/** Problems that end when the named connection, provider or organization exists. */
const namesOnly: readonly string[] = ['E304', 'E322', 'E323']

export const isForNamesOnly = ({ problems }: { readonly problems: readonly SourceProblem[] }): boolean =>
  problems.length > 0 && problems.every(({ code }) => namesOnly.includes(code))
