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
  requireSeen,
  removePlaybookFile,
  writePlaybookFile,
  type AcceptedEdit,
  type CheckedEdit,
} from './edit-playbook.ts'
import { promotedSource } from '../shadow/promoted-source.ts'
import { PlaybookVersions, type PlaybookOrigin } from './playbook-versions.ts'
import { logProblems, readPlaybookFolder, type ReadPlaybook } from './read-folder.ts'

/** The live playbooks, checked and compiled, and older versions that runs still use. */
export interface PlaybookLibrary {
  /** The newest version of each live authored playbook. */
  authored(): readonly Playbook[]
  /** The newest version of each authored playbook that runs in shadow. */
  shadows(): readonly Playbook[]
  /** Content hash of the live authored playbook of this name. */
  newest(name: string): string | undefined
  /** Content hash of the authored playbook of this name, which may run in shadow. */
  published(name: string): string | undefined
  /** File of the authored playbook of this name. */
  fileOf(name: string): string | undefined
  /** Files of the folder that are not live. */
  readonly refused: readonly RefusedFile[]
  /** Warnings about conflicting playbooks. */
  readonly rivals: readonly Rivalry[]
  /**
   * Any stored version. Throws NotFoundError `playbook_not_found`, and PlaybookError if it is no longer
   * valid.
   */
  byHash(hash: string): Promise<Playbook>
  /** Checks, stores and publishes a playbook. Throws PlaybookError with all problems. */
  keep(source: string, from: PlaybookOrigin): Promise<Playbook>
  /** Checks a source against the live playbooks and the known names, without storing it. */
  check(source: string, known?: KnownNames): Sliced<CheckedEdit>
  /** Publishes files that were refused only because of names that exist by now, such as a new connection. */
  takeUpRefused(): Promise<void>
  /**
   * Writes a playbook to its file in the folder, or to a new one, and publishes it for later alerts and
   * schedules. Active runs continue with the version they started with.
   *
   * @param seen content hash of the edited version; undefined for a new playbook; `*` for any version
   * @throws the errors of `checkEdit` and `writePlaybookFile`; ConflictError `revision_changed` if another
   * version is live
   */
  edit(name: string, source: string, seen: string | undefined, by: Actor): Promise<AcceptedEdit>
  /**
   * Makes a shadow live: writes it to the file of the playbook beside which it ran, and deletes its own file; a shadow that ran alone
   * stays in its file.
   *
   * @param evidence for the audit log
   * @throws ConflictError `revision_changed` if another version of either playbook is published, or its file was changed;
   * `playbook_not_in_shadow`; the errors of `promotedSource`, `checkEdit` and `writePlaybookFile`
   */
  promote(name: string, seen: SeenVersions, by: Actor, evidence: Evidence): Promise<AcceptedEdit>
}

/** Content hashes of a shadow and of the playbook beside which it runs; null: there is none. */
export interface SeenVersions {
  readonly shadow: string
  readonly live: string | null
}

type Evidence = Readonly<Record<string, unknown>>

export interface RefusedFile {
  /** Path in the folder. */
  readonly file: string
  readonly errors: number
}

export interface PlaybookLibraryOptions {
  readonly store: PlaybookStore
  readonly catalogue: Catalogue
  readonly log: Log
  /** Folder of `<name>.yaml` files, also in subfolders. A missing folder counts as empty. */
  readonly folder: string
  /** The known names in all organizations. Default: names are not checked. */
  readonly known?: (() => Promise<KnownNames>) | undefined
}

/**
 * Opens the library and publishes the files of the folder. A file with mistakes is logged and listed as
 * refused, and the last valid version of its name (`<name>.yaml`) stays live. Of two files with the same
 * name, the first is used.
 */
export async function openPlaybookLibrary(options: PlaybookLibraryOptions): Promise<PlaybookLibrary> {
  const { store, catalogue } = options
  const versions = new PlaybookVersions(store, catalogue)
  const { authored } = versions
  const folder = new PlaybookFolder(options, versions)
  const rivals = await folder.load()
  return {
    authored: () => versions.live(),
    shadows: () => [...authored.values()].filter(({ shadow }) => shadow !== undefined),
    newest: (name) => (authored.get(name)?.shadow === undefined ? authored.get(name)?.hash : undefined),
    published: (name) => authored.get(name)?.hash,
    fileOf: (name) => folder.paths.get(name),
    refused: folder.refused,
    rivals,
    byHash: (hash) => versions.byHash(hash),
    keep: (source, from) => versions.keep(source, from),
    check: (source, names) => checkBeside(source, [...authored.values()], catalogue, names),
    takeUpRefused: () => folder.takeUpRefused(),
    edit: (name, source, seen, by) => folder.edit(name, source, seen, by),
    promote: (name, seen, by, evidence) => folder.promote(name, seen, by, evidence),
  }
}

/** Problems that end when the named connection, provider or organization exists. */
const namesOnly: readonly string[] = ['E304', 'E322', 'E323']

/** The playbooks folder and its live files. */
class PlaybookFolder {
  /** Paths of the live files, by name. */
  readonly paths = new Map<string, string>()
  readonly refused: RefusedFile[] = []
  /** Paths of files refused only because of unknown names. */
  readonly #unnamed = new Set<string>()
  readonly #options: PlaybookLibraryOptions
  readonly #versions: PlaybookVersions
  /** Settles when the latest edit has ended. */
  #editing: Promise<unknown> = Promise.resolve()

  constructor(options: PlaybookLibraryOptions, versions: PlaybookVersions) {
    this.#options = options
    this.#versions = versions
  }

  /** Publishes the files and returns warnings about conflicting playbooks. */
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
      else await this.#publish(playbook, path)
    }
    // Done last, so that the content of the folder becomes the newest version of its name.
    for (const { path, problems } of broken) await this.#refuse(path, problems)
    // A file with mistakes still counts as existing.
    const there = [...files.map(({ path }) => parse(path).name), ...this.#versions.authored.keys()]
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

  promote(name: string, seen: SeenVersions, by: Actor, evidence: Evidence): Promise<AcceptedEdit> {
    return this.#afterOthers(() => this.#promoteNow(name, seen, by, evidence))
  }

  /** Runs edits one at a time, so each is checked against the result of the previous one. */
  #afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#editing.then(work)
    this.#editing = done.catch(() => undefined)
    return done
  }

  async #editNow(name: string, source: string, seen: string | undefined, by: Actor): Promise<AcceptedEdit> {
    const { catalogue } = this.#options
    const { authored } = this.#versions
    const live = authored.get(name)?.hash
    if (seen !== '*' && seen !== live) {
      const message = live === undefined ? 'this version does not exist' : 'another version is live'
      throw new ConflictError('revision_changed', message)
    }
    const names = await this.#known()
    const accepted = await runInSlices(checkEdit(name, source, [...authored.values()], catalogue, names))
    const path = this.#pathOf(name)
    await writePlaybookFile(path, source)
    await this.#publish(accepted.playbook, path, by)
    return accepted
  }

  async #promoteNow(name: string, seen: SeenVersions, by: Actor, evidence: Evidence): Promise<AcceptedEdit> {
    const { authored } = this.#versions
    const playbook = authored.get(name)
    if (playbook?.shadow === undefined)
      throw new ConflictError('playbook_not_in_shadow', `the playbook '${name}' does not run in shadow`)
    const { beside = name } = playbook.shadow
    const current = (of: string) => ({ live: authored.get(of)?.hash, path: this.#pathOf(of) })
    await requireSeen(name, seen.shadow, current(name))
    if (beside !== name) await requireSeen(beside, seen.live, current(beside))
    const source = promotedSource(playbook)
    const others = [...authored.values()].filter((each) => each !== playbook)
    const names = await this.#known()
    const accepted = await runInSlices(checkEdit(beside, source, others, this.#options.catalogue, names))
    const path = this.#pathOf(beside)
    await writePlaybookFile(path, source)
    await this.#publish(accepted.playbook, path, by, evidence)
    if (beside !== name) await this.#remove(name, by)
    return accepted
  }

  /** The file of a playbook, also if it was refused or does not exist yet. */
  #pathOf(name: string): string {
    return this.paths.get(name) ?? join(this.#options.folder, `${name}.yaml`)
  }

  /** Deletes the file of a promoted shadow. */
  async #remove(name: string, by: Actor): Promise<void> {
    const path = this.#pathOf(name)
    await removePlaybookFile(path)
    this.paths.delete(name)
    this.#unnamed.delete(path)
    this.#admit(path)
    this.#versions.authored.delete(name)
    const there = [...this.refused.map(({ file }) => parse(file).name), ...this.#versions.authored.keys()]
    await this.#options.store.keepOnly(there, by)
  }

  async #takeUp(): Promise<void> {
    if (this.#unnamed.size === 0) return
    for (const { path, playbook } of await this.#read()) {
      if (playbook === undefined || !this.#unnamed.delete(path)) continue
      this.#admit(path)
      await this.#publish(playbook, path)
      this.#options.log.info({ playbook: playbook.name, path }, 'the playbook is live')
    }
  }

  /** The file is no longer refused. */
  #admit(path: string): void {
    const at = this.refused.findIndex(({ file }) => file === this.#fileAt(path))
    if (at >= 0) this.refused.splice(at, 1)
  }

  async #publish(playbook: Playbook, path: string, by?: Actor, promoted?: Evidence): Promise<void> {
    this.paths.set(playbook.name, path)
    await this.#versions.keepChecked(playbook, { origin: 'file' }, by, promoted)
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
    // An empty scope excludes generated playbooks of organizations.
    const stored = await store.find([], name)
    if (stored === undefined) return
    try {
      this.#versions.authored.set(name, await this.#versions.byHash(stored.hash))
      log.warn({ playbook: name, hash: stored.hash }, 'the last valid version stays live')
    } catch (error) {
      if (!(error instanceof PlaybookError)) throw error
    }
  }

  async #read(): Promise<readonly ReadPlaybook[]> {
    const { folder, catalogue } = this.#options
    return readPlaybookFolder(folder, catalogue, await this.#known())
  }

  async #known(): Promise<KnownNames | undefined> {
    return await this.#options.known?.()
  }

  /** Path in the folder. */
  #fileAt(path: string): string {
    return relative(this.#options.folder, path)
  }
}
