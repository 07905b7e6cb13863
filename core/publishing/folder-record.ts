import { join, relative, resolve } from 'node:path'
import type { Rivalry } from '../playbook/check/find-rivals.ts'
import { contentHash } from '../playbook/language/source-text.ts'
import type { SourceProblem } from '../errors/source-frame.ts'
import type { Log } from '../ports/log.ts'
import type { FolderReport, OutdatedFile } from '../ports/nodes/node-store.ts'
import type { PlaybookChange } from './check-changes.ts'
import type { FolderComparison } from './compare-folder.ts'
import { isForNamesOnly, type RefusedChange } from './hindrance.ts'
import { logProblems } from './read-folder.ts'

/** A file of the folder that is not live. */
export interface RefusedFile {
  /** Path in the folder. */
  readonly file: string
  readonly errors: number
}

const maxLogged = 10_000
/** Files, and problems, that other nodes are told. */
const maxTold = 20

/** What is known of the files of the folder since they were last read or written. */
export class FolderRecord {
  /** Paths of the live files, by name. */
  readonly paths = new Map<string, string>()
  /** Content hashes by path, as last taken up. */
  readonly taken = new Map<string, string>()
  refused: readonly RefusedFile[] = []
  /** Paths of files refused only because of unknown names. */
  unnamed: ReadonlySet<string> = new Set()
  /** A change of the folder that is not published; undefined: all is published. */
  refusedChange: RefusedChange | undefined
  /** Files that could not be replaced when the folder was last published. */
  outdated: readonly OutdatedFile[] = []
  /** Warnings about playbooks for the same alerts. */
  rivals: readonly Rivalry[] = []
  readonly #folder: string
  readonly #log: Log
  readonly #logged = new Set<string>()

  constructor(folder: string, log: Log) {
    this.#folder = folder
    this.#log = log
  }

  /** The file of a playbook, also if it was refused or does not exist yet. */
  pathOf(name: string): string {
    return this.paths.get(name) ?? this.pathIn(`${name}.yaml`)
  }

  /** The file from which the version with this hash was taken. */
  takenFrom(hash: string): string | undefined {
    return [...this.taken].find(([, content]) => content === hash)?.[0]
  }

  pathIn(file: string): string {
    return join(this.#folder, file)
  }

  /** Path in the folder. */
  fileAt(path: string): string {
    return relative(this.#folder, path)
  }

  /** For other nodes; undefined: nothing is wrong. */
  report(): FolderReport | undefined {
    const { refused, refusedChange: change, outdated } = this
    if (refused.length + outdated.length === 0 && change === undefined) return undefined
    const inFolder = (problem: SourceProblem) => ({
      ...problem,
      file: this.fileAt(resolve(this.#folder, problem.file ?? '')),
    })
    return {
      refused: refused.slice(0, maxTold),
      change:
        change === undefined
          ? null
          : { ...change, problems: change.problems.slice(0, maxTold).map(inFolder) },
      outdated: outdated.slice(0, maxTold),
    }
  }

  noteApplied(changes: readonly PlaybookChange[]): void {
    for (const { name, source } of changes) {
      const path = this.pathOf(name)
      if (source === null) this.paths.delete(name)
      else this.paths.set(name, path)
      this.#noteTaken(path, source === null ? null : contentHash(source))
    }
  }

  notePublished({ valid, changed, removed, rivals }: FolderComparison): void {
    for (const name of removed) this.paths.delete(name)
    for (const { path, hash } of changed) this.#noteTaken(path, hash)
    for (const { path, playbook } of valid) this.paths.set(playbook.name, path)
    this.rivals = rivals
    for (const { code, message } of rivals) this.logOnce(message, () => this.#log.warn({ code }, message))
  }

  noteBroken({ broken }: FolderComparison): void {
    this.refused = broken.map(({ path, errors }) => ({ file: this.fileAt(path), errors: errors.length }))
    const unnamed = broken.filter(({ errors }) => isForNamesOnly({ problems: errors }))
    this.unnamed = new Set(unnamed.map(({ path }) => path))
    for (const { path, errors } of broken) {
      const said = errors.map(({ code, line, message }) => `${code} ${line} ${message}`).join()
      this.logOnce(`${path} ${said}`, () => logProblems(this.#log, path, errors))
    }
  }

  noteRefused({ changed }: FolderComparison, { reason }: RefusedChange): void {
    this.logOnce(`${reason} ${JSON.stringify(changed)}`, () =>
      this.#log.error(
        { reason, count: changed.length },
        'the change of the playbooks folder is not published; the last valid versions stay live',
      ),
    )
  }

  /** A file that was refused because of unknown names is live. */
  noteNamed(name: string, path: string, hash: string): void {
    this.paths.set(name, path)
    this.#noteTaken(path, hash)
    this.refused = this.refused.filter(({ file }) => file !== this.fileAt(path))
    this.unnamed = new Set([...this.unnamed].filter((each) => each !== path))
  }

  logOnce(text: string, log: () => void): void {
    if (this.#logged.has(text)) return
    if (this.#logged.size > maxLogged) this.#logged.clear()
    this.#logged.add(text)
    log()
  }

  #noteTaken(path: string, hash: string | null): void {
    if (hash === null) this.taken.delete(path)
    else this.taken.set(path, hash)
  }
}
