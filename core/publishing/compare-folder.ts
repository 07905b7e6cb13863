import { parse } from 'node:path'
import type { SourceProblem } from '../errors/source-frame.ts'
import { findRivals, type Rivalry } from '../playbook/check/find-rivals.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { ReadPlaybook } from './read-folder.ts'

/** A file with errors. */
export interface BrokenFile {
  readonly path: string
  readonly errors: readonly SourceProblem[]
}

export interface ValidFile {
  readonly path: string
  readonly playbook: Playbook
}

/** The folder compared with what was last taken up. */
export interface FolderComparison {
  readonly valid: readonly ValidFile[]
  readonly broken: readonly BrokenFile[]
  /** Changed, new and deleted files, with their content hash; null: deleted. */
  readonly changed: readonly { readonly path: string; readonly hash: string | null }[]
  /** Files because of which no change is published. */
  readonly blocking: readonly BrokenFile[]
  /** Valid playbooks that are not published. */
  readonly unpublished: readonly ValidFile[]
  /** Names of published playbooks without a file. */
  readonly removed: readonly string[]
  /** Playbooks for the same alerts. */
  readonly rivals: readonly Rivalry[]
}

export interface CompareOptions {
  /** Content hashes by path when the folder was last taken up; undefined: never, so each file counts alone. */
  readonly taken: ReadonlyMap<string, string> | undefined
  /** Content hashes by name. */
  readonly published: ReadonlyMap<string, string>
  /** Names that stay published without a file. Default: none. */
  readonly kept?: ReadonlySet<string> | undefined
  /** Shown in problems. */
  readonly fileAt: (path: string) => string
}

/**
 * Compares the files with the published playbooks. A changed file with errors blocks every change, and so does a published file that
 * has errors beside the changed ones.
 */
export function compareFolder(
  files: readonly ReadPlaybook[],
  { taken, published, kept, fileAt }: CompareOptions,
): FolderComparison {
  const checked = files.flatMap(({ path, playbook }) =>
    playbook === undefined ? [] : [{ file: fileAt(path), playbook }],
  )
  const rivals = findRivals(checked)
  const namesakes = Map.groupBy(
    rivals.filter(({ severity }) => severity === 'error'),
    ({ file }) => file,
  )
  const valid: ValidFile[] = []
  const broken: BrokenFile[] = []
  for (const { path, playbook, problems } of files) {
    const errors = namesakes.get(fileAt(path)) ?? problems.filter(({ severity }) => severity === 'error')
    if (playbook === undefined || namesakes.has(fileAt(path))) broken.push({ path, errors })
    else valid.push({ path, playbook })
  }
  const changed = changesOf(files, taken ?? new Map<string, string>())
  const isChanged = new Set(changed.map(({ path }) => path))
  const live = new Set(published.values())
  const hashes = new Map(files.map(({ path, hash }) => [path, hash]))
  const blocking =
    taken === undefined || changed.length === 0
      ? []
      : broken.filter(({ path }) => isChanged.has(path) || live.has(hashes.get(path) ?? ''))
  // A file with mistakes still counts as existing.
  const there = new Set([
    ...valid.map(({ playbook }) => playbook.name),
    ...broken.map(({ path }) => parse(path).name),
  ])
  return {
    valid,
    broken,
    changed,
    blocking,
    unpublished: valid.filter(({ playbook: { name, hash } }) => published.get(name) !== hash),
    removed: [...published.keys()].filter((name) => !there.has(name) && kept?.has(name) !== true),
    rivals: rivals.filter(({ severity }) => severity !== 'error'),
  }
}

function changesOf(files: readonly ReadPlaybook[], taken: ReadonlyMap<string, string>) {
  const there = new Set(files.map(({ path }) => path))
  const gone = [...taken.keys()].filter((path) => !there.has(path))
  return [
    ...files.filter(({ path, hash }) => taken.get(path) !== hash).map(({ path, hash }) => ({ path, hash })),
    ...gone.map((path) => ({ path, hash: null })),
  ]
}
