import { join, parse, relative } from 'node:path'
import { runInSlices, type Sliced } from '../common/sliced.ts'
import { theServer, type Actor } from '../domain/audit.ts'
import { ConflictError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import type { SourceProblem } from '../errors/source-frame.ts'
import { findRivals, type Rivalry } from '../playbook/check/find-rivals.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Log } from '../ports/log.ts'
import type { PlaybookStore } from '../ports/playbook-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import {
  checkBeside,
  checkEdit,
  writePlaybookFile,
  type AcceptedEdit,
  type CheckedEdit,
} from './edit-playbook.ts'
import { PlaybookVersions, type PlaybookOrigin } from './playbook-versions.ts'
import { logProblems, readPlaybooks, type ReadPlaybook } from './read-folder.ts'

/** The playbooks in force, checked and compiled, and the older versions that runs still hold on to. */
export interface PlaybookLibrary {
  /** The newest version of each playbook that a person wrote. */
  written(): readonly Playbook[]
  /** Content hash of the written playbook of this name that is in force. */
  newest(name: string): string | undefined
  /** The file of the written playbook of this name that is in force. */
  fileOf(name: string): string | undefined
  /** What was found in the folder and is not in force as it stands there. */
  readonly refused: readonly RefusedFile[]
  /** Warnings about playbooks that get in each other's way. */
  readonly rivals: readonly Rivalry[]
  /** Any version that was ever kept. Throws NotFoundError `playbook_not_found`, PlaybookError where it no longer checks. */
  byHash(hash: string): Promise<Playbook>
  /** Checks a playbook, keeps it and puts it in force. Throws PlaybookError with every problem. */
  keep(source: string, from: PlaybookOrigin): Promise<Playbook>
  /** Checks a source beside the playbooks in force, and the names that there are, without keeping it. */
  check(source: string, known?: KnownNames): Sliced<CheckedEdit>
  /** Puts files in force that were refused for names alone which there are by now, such as that of a new connection. */
  takeUpRefused(): Promise<void>
  /**
   * Writes a playbook of this name to its file in the folder, or to a new one, and puts it in force: for alerts and schedules
   * from now on, while runs under way go on with the version that they began with.
   *
   * @param seen content hash of the version that is edited; undefined where there is none yet; `*` for whichever it is
   * @throws what `checkEdit` and `writePlaybookFile` throw; ConflictError `revision_changed` where another version is in force
   */
  edit(name: string, source: string, seen: string | undefined, by: Actor): Promise<AcceptedEdit>
}

export interface RefusedFile {
  /** Its path in the folder. */
  readonly file: string
  readonly errors: number
}

export interface PlaybookLibraryOptions {
  readonly store: PlaybookStore
  readonly catalogue: Catalogue
  readonly log: Log
  /** Of `<name>.yaml` files, also in folders in it. A missing folder is an empty one. */
  readonly folder: string
  /** The names that there are, in all organizations. Default: they are taken as they come. */
  readonly known?: (() => Promise<KnownNames>) | undefined
}

/**
 * Opens the library and puts the files of the folder in force. A file with mistakes is logged and listed as refused; the last
 * good version of its name (`<name>.yaml`) stays in force. Of two files with one name the first is used.
 */
export async function openPlaybookLibrary(options: PlaybookLibraryOptions): Promise<PlaybookLibrary> {
  const { store, catalogue } = options
  const versions = new PlaybookVersions(store, catalogue)
  const { written } = versions
  const folder = new PlaybookFolder(options, versions)
  const rivals = await folder.load()
  return {
    written: () => [...written.values()],
    newest: (name) => written.get(name)?.hash,
    fileOf: (name) => folder.paths.get(name),
    refused: folder.refused,
    rivals,
    byHash: (hash) => versions.byHash(hash),
    keep: (source, from) => versions.keep(source, from),
    check: (source, names) => checkBeside(source, [...written.values()], catalogue, names),
    takeUpRefused: () => folder.takeUpRefused(),
    edit: (name, source, seen, by) => folder.edit(name, source, seen, by),
  }
}

/** What is wrong only until there is such a connection, provider or organization. */
const namesOnly: readonly string[] = ['E304', 'E322', 'E323']

/** The playbooks folder, and which of its files are in force. */
class PlaybookFolder {
  /** Of the files in force, by name. */
  readonly paths = new Map<string, string>()
  readonly refused: RefusedFile[] = []
  /** Paths of files that were refused for nothing but names. */
  readonly #unnamed = new Set<string>()
  readonly #options: PlaybookLibraryOptions
  readonly #versions: PlaybookVersions
  /** Settles when the last edit that was begun has ended. */
  #editing: Promise<unknown> = Promise.resolve()

  constructor(options: PlaybookLibraryOptions, versions: PlaybookVersions) {
    this.#options = options
    this.#versions = versions
  }

  /** Puts its files in force, and gives the warnings about playbooks that get in each other's way. */
  async load(): Promise<readonly Rivalry[]> {
    const { store, log } = this.#options
    const files = await this.#read()
    const rivals = findRivals(
      files.flatMap(({ path, playbook }) =>
        playbook === undefined ? [] : [{ file: this.#fileAt(path), playbook }],
      ),
    )
    const broken: ReadPlaybook[] = []
    for (const { path, playbook, problems } of files) {
      const namesakes = rivals.filter(
        ({ severity, file }) => severity === 'error' && file === this.#fileAt(path),
      )
      if (playbook === undefined) broken.push({ path, problems })
      else if (namesakes.length > 0) broken.push({ path, problems: namesakes })
      else await this.#putInForce(playbook, path)
    }
    // Last: what stands in the folder has become the newest version of its name.
    for (const { path, problems } of broken) await this.#refuse(path, problems)
    // A file with mistakes is there all the same.
    const there = [...files.map(({ path }) => parse(path).name), ...this.#versions.written.keys()]
    await store.keepOnly(there, theServer)
    const warnings = rivals.filter(({ severity }) => severity !== 'error')
    for (const { code, message } of warnings) log.warn({ code }, message)
    return warnings
  }

  takeUpRefused(): Promise<void> {
    return this.#afterOthers(() => this.#takeUp())
  }

  edit(name: string, source: string, seen: string | undefined, by: Actor): Promise<AcceptedEdit> {
    return this.#afterOthers(() => this.#editNow(name, source, seen, by))
  }

  /** One at a time: each is checked beside what the one before left. */
  #afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#editing.then(work)
    this.#editing = done.catch(() => undefined)
    return done
  }

  async #editNow(name: string, source: string, seen: string | undefined, by: Actor): Promise<AcceptedEdit> {
    const { folder, catalogue } = this.#options
    const { written } = this.#versions
    const inForce = written.get(name)?.hash
    if (seen !== '*' && seen !== inForce) {
      const message = inForce === undefined ? 'there is no such version' : 'another version is in force'
      throw new ConflictError('revision_changed', message)
    }
    const names = await this.#known()
    const accepted = await runInSlices(checkEdit(name, source, [...written.values()], catalogue, names))
    const path = this.paths.get(name) ?? join(folder, `${name}.yaml`)
    await writePlaybookFile(path, source)
    await this.#putInForce(accepted.playbook, path, by)
    return accepted
  }

  async #takeUp(): Promise<void> {
    if (this.#unnamed.size === 0) return
    for (const { path, playbook } of await this.#read()) {
      if (playbook === undefined || !this.#unnamed.delete(path)) continue
      const at = this.refused.findIndex(({ file }) => file === this.#fileAt(path))
      if (at >= 0) this.refused.splice(at, 1)
      await this.#putInForce(playbook, path)
      this.#options.log.info({ playbook: playbook.name, path }, 'the playbook is in force now')
    }
  }

  async #putInForce(playbook: Playbook, path: string, by?: Actor): Promise<void> {
    this.paths.set(playbook.name, path)
    await this.#versions.keepChecked(playbook, { origin: 'file' }, by)
  }

  async #refuse(path: string, problems: readonly SourceProblem[]): Promise<void> {
    const errors = problems.filter(({ severity }) => severity === 'error')
    logProblems(this.#options.log, path, errors)
    this.refused.push({ file: this.#fileAt(path), errors: errors.length })
    if (errors.every(({ code }) => namesOnly.includes(code))) this.#unnamed.add(path)
    await this.#keepLastGood(parse(path).name)
  }

  async #keepLastGood(name: string): Promise<void> {
    const { store, log } = this.#options
    // Nobody's scope: what was made for an organization is not what a person wrote.
    const stored = await store.find([], name)
    if (stored === undefined) return
    try {
      this.#versions.written.set(name, await this.#versions.byHash(stored.hash))
      log.warn({ playbook: name, hash: stored.hash }, 'the last good version stays in force')
    } catch (error) {
      if (!(error instanceof PlaybookError)) throw error
    }
  }

  async #read(): Promise<readonly ReadPlaybook[]> {
    const { folder, catalogue } = this.#options
    return readPlaybooks(folder, catalogue, await this.#known())
  }

  async #known(): Promise<KnownNames | undefined> {
    return await this.#options.known?.()
  }

  /** Its path in the folder. */
  #fileAt(path: string): string {
    return relative(this.#options.folder, path)
  }
}
