import { parse } from 'node:path'
import { runInSlices } from '../common/sliced.ts'
import { theServer, type Actor } from '../domain/audit.ts'
import { ConflictError } from '../errors/errors.ts'
import type { PlaybookVersions } from '../investigation/playbook-versions.ts'
import { contentHash } from '../playbook/language/source-text.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import type { Log } from '../ports/log.ts'
import type { PlaybookStore, PreparedChange, PreparedFile, PublishedBase } from '../ports/playbook-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { checkChanges, type AcceptedEdit, type SeenChange } from './check-changes.ts'
import { compareFolder, type FolderComparison } from './compare-folder.ts'
import { FolderRecord } from './folder-record.ts'
import {
  nameTaken,
  namesWithin,
  ownedBy,
  requireMayChange,
  requireMayPublish,
  type PublishScope,
} from './playbook-owner.ts'
import { hindranceOf, isForNamesOnly, type RefusedChange } from './hindrance.ts'
import type { FolderState, PlaybookFiles } from './playbook-files.ts'
import { keepLastGood, restorePublished } from './keep-live.ts'
import { NodeFolder } from './node-folder.ts'
import { readPlaybookFolder } from './read-folder.ts'
import { playbooksChanging, SharedPublishing } from './shared-publishing.ts'
import { completeChange, hashAt, leftOf, undoFiles, undoLeft, writeChange } from './write-change.ts'

export interface PlaybookLibraryOptions {
  readonly store: PlaybookStore
  readonly catalogue: Catalogue
  readonly log: Log
  readonly files: PlaybookFiles
  /** The known names in all organizations. Default: names are not checked. */
  readonly known?: (() => Promise<KnownNames>) | undefined
  /** The uuid of the organization with this code. Default: no playbook can belong to an organization. */
  readonly uuidOf?: ((code: string) => Promise<string | undefined>) | undefined
}

export interface Reloaded {
  /** Why nothing was published, although files have changed; undefined: all is published. */
  readonly refused: RefusedChange | undefined
  readonly published: readonly string[]
  readonly removed: readonly string[]
}

/** Publishes the files of the playbooks folder, and writes changes over the API to it. */
export class PlaybookFolder {
  readonly record: FolderRecord
  /** Undefined: there is one folder. */
  readonly shared: SharedPublishing | undefined
  readonly ofNode: NodeFolder | undefined
  /** A change whose files are written, at least in part, and that is not known to be published. */
  #unsettled: PreparedChange | undefined
  readonly #options: PlaybookLibraryOptions
  readonly #versions: PlaybookVersions
  /** Settles when the latest change has ended. */
  #changing: Promise<unknown> = Promise.resolve()

  /** @param isShared whether there are nodes with folders of their own */
  constructor(options: PlaybookLibraryOptions, versions: PlaybookVersions, isShared: boolean) {
    this.#options = options
    this.#versions = versions
    this.record = new FolderRecord(options.files.folder, options.log)
    if (!isShared) return
    this.ofNode = new NodeFolder({ ...options, record: this.record })
    this.shared = new SharedPublishing({ ...options, versions, record: this.record, folder: this.ofNode })
  }

  /** Publishes the folder at the start of the server: file by file if it was never taken up, else like `reload`. */
  async load(): Promise<void> {
    const { files, prepared } = await this.#options.store.folder()
    for (const [file, hash] of files) this.record.taken.set(this.record.pathIn(file), hash)
    const isOwn = this.shared === undefined
    const isCompleted = prepared !== undefined && (await completeChange(prepared, this.#writing, isOwn))
    await this.#take(true, isCompleted ? prepared : undefined)
  }

  /** Undoes what this node was publishing when it was killed, except what `load` completes. Before `load` and `follow`. */
  async undoLeft(isReader: boolean): Promise<void> {
    if (this.shared !== undefined) await undoLeft(this.#writing, !isReader)
  }

  /** See `PlaybookLibrary`. */
  reload(): Promise<Reloaded> {
    return this.inTurn(async () => (await this.#settle()) ?? (await this.#take(false)))
  }

  takeUpRefused(): Promise<boolean> {
    return this.inTurn(async () => {
      const { refusedChange } = this.record
      if (refusedChange === undefined || !isForNamesOnly(refusedChange)) return await this.#takeUpNamed()
      const { published, removed } = await this.#take(false)
      return published.length + removed.length > 0
    })
  }

  /** Runs changes one at a time, so each is checked against the result of the previous one. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work)
    this.#changing = done.catch(() => undefined)
    return done
  }

  /** See `PlaybookLibrary`. Only in turn. */
  async apply(
    changes: readonly SeenChange[],
    by: Actor,
    scope: PublishScope = 'all',
    base?: PublishedBase,
  ): Promise<readonly AcceptedEdit[]> {
    await this.#settle()
    const { files, accepted, versions } = await this.check(changes, scope)
    const prepared = { by, files }
    const isReady = await writeChange(prepared, base, this.#writing, () => (this.#unsettled = prepared))
    if (!isReady) throw playbooksChanging()
    this.#unsettled = prepared
    const removed = changes.filter(({ source }) => source === null)
    const hashes = files.map(({ path, source }) => ({ path, hash: source && contentHash(source) }))
    const written = base && { ...base, prepared }
    const isPublished = await this.#versions.publish(versions, { removed, files: hashes }, by, written)
    if (!isPublished) await undoFiles(leftOf(prepared), this.#writing)
    this.#unsettled = undefined
    if (!isPublished) throw playbooksChanging()
    for (const { path, source } of files) this.ofNode?.noteWritten(this.record.pathIn(path), source)
    this.record.noteApplied(changes)
    return accepted
  }

  /** The checks of `apply`. Only in turn. */
  async check(changes: readonly SeenChange[], scope: PublishScope) {
    const { catalogue } = this.#options
    const { authored } = this.#versions
    const files: PreparedFile[] = []
    for (const change of changes) {
      requireMayChange(scope, authored.get(change.name))
      files.push(await this.#requireSeen(change, scope))
    }
    const known = await this.known(scope)
    const accepted = await runInSlices(checkChanges(changes, [...authored.values()], { catalogue, known }))
    for (const { playbook } of accepted) requireMayPublish(scope, authored.get(playbook.name), playbook)
    const publicationOf = (name: string) => changes.find((change) => change.name === name)?.publication
    const versions = await ownedBy(accepted, this.#options.uuidOf, ({ playbook }) =>
      publicationOf(playbook.name),
    )
    return { files, accepted, versions }
  }

  async known(scope: PublishScope = 'all'): Promise<KnownNames | undefined> {
    const known = await this.#options.known?.()
    return known && namesWithin(known, scope)
  }

  /** Refuses another version than the seen one, and to overwrite a file whose content is not published. */
  async #requireSeen(
    { name, seen, source, publication }: SeenChange,
    scope: PublishScope,
  ): Promise<PreparedFile> {
    const published = this.#versions.authored.get(name)?.hash ?? null
    if (seen !== '*' && seen !== published) {
      const message = published === null ? 'has no published version' : 'has another published version'
      throw new ConflictError('revision_changed', `the playbook '${name}' ${message}`, {
        hint: 'look at the published version, then try again',
      })
    }
    const path = this.record.pathOf(name)
    const file = this.record.fileAt(path)
    const before = await hashAt(path, this.#options.files)
    const isOver =
      before === null || before === published || (await this.ofNode?.isEarlier(name, path, before))
    if (isOver === true) return { path: file, before, source, publication }
    // The file may belong to another organization.
    if (scope !== 'all' && published === null) throw nameTaken(name)
    throw new ConflictError(
      'revision_changed',
      `the file ${file} holds another version, which is not published`,
      { hint: 'correct or delete the file; GET playbook-folder says why it is not published' },
    )
  }

  get #writing() {
    const { files, store, log } = this.#options
    return { files, store, log, pathIn: (file: string) => this.record.pathIn(file) }
  }

  get #living() {
    return { versions: this.#versions, record: this.record, log: this.#options.log }
  }

  /** Completes a change that was written in part, or whose publication failed. */
  async #settle(): Promise<Reloaded | undefined> {
    const change = this.#unsettled
    if (change === undefined) return undefined
    const isCompleted = await completeChange(change, this.#writing)
    this.#unsettled = undefined
    return await this.#take(false, isCompleted ? change : undefined)
  }

  /**
   * Publishes what changed in the folder, all or nothing.
   *
   * @param cause the change over the API that wrote the files; undefined: they were changed on disk
   */
  async #take(atStart: boolean, cause?: PreparedChange): Promise<Reloaded> {
    const { files, store, catalogue } = this.#options
    const base = await this.shared?.base(cause)
    const published = base?.published ?? (await store.published())
    const written = new Set(cause?.files.map(({ path }) => this.record.pathIn(path)))
    const ofNode = await this.ofNode?.read(published, atStart, written)
    const before = ofNode ?? { state: await files.state(), files: await files.read() }
    const read = await readPlaybookFolder(before.files, catalogue, await this.known())
    const state = await files.state()
    const isFirst = atStart && this.record.taken.size === 0
    const taken = isFirst ? undefined : this.record.taken
    const fileAt = (path: string) => this.record.fileAt(path)
    const found = compareFolder(read, { taken, published, kept: ofNode?.kept, fileAt })
    const isStill = before.state.fingerprint === state.fingerprint && !state.isBusy
    this.record.noteBroken(found)
    const hindrance = isFirst ? undefined : hindranceOf(found, { state, isStill, atStart })
    const refused = hindrance ?? (await this.#publish(found, state, base, cause))
    this.record.refusedChange = refused
    if (refused !== undefined) {
      this.record.noteRefused(found, refused)
      if (atStart) await restorePublished(found, published, this.#living)
      if (this.shared && cause) await undoLeft(this.#writing, true)
      return { refused, published: [], removed: [] }
    }
    this.ofNode?.noteTaken()
    const ofBroken = found.broken.map(({ path }) => parse(path).name)
    await keepLastGood([...ofBroken, ...(ofNode?.kept ?? [])], published, this.#living)
    const names = found.unpublished.map(({ playbook }) => playbook.name)
    return { refused, published: names, removed: found.removed }
  }

  /** Undefined: all is published. */
  async #publish(
    found: FolderComparison,
    { revision }: FolderState,
    base?: PublishedBase,
    cause?: PreparedChange,
  ): Promise<RefusedChange | undefined> {
    const { unpublished, removed, changed, valid } = found
    const files = changed.map(({ path, hash }) => ({ path: this.record.fileAt(path), hash }))
    const written = new Map(cause?.files.map((file) => [file.path, file.publication]))
    const isOf = cause !== undefined && files.every(({ path }) => written.has(path))
    const ofFolder = { revision: revision ?? undefined }
    const why = (path: string) => (isOf ? written.get(this.record.fileAt(path)) : ofFolder)
    const versions = await ownedBy(unpublished, this.#options.uuidOf, ({ path }) => why(path))
    const ended = removed.map((name) => ({ name, publication: why(this.record.pathOf(name)) }))
    const by = isOf ? cause.by : theServer
    if (files.length + versions.length + ended.length > 0 || cause !== undefined)
      if (!(await this.#versions.publish(versions, { removed: ended, files }, by, base)))
        return { reason: 'changing', changed: changed.length, problems: [] }
    for (const { playbook } of valid) this.#versions.authored.set(playbook.name, playbook)
    this.record.notePublished(found)
    const version = revision ?? undefined
    for (const { playbook } of unpublished)
      this.#options.log.info(
        { playbook: playbook.name, hash: playbook.hash, version },
        'the playbook is live',
      )
    for (const name of removed)
      this.#options.log.info({ playbook: name, version }, 'the playbook was deleted and starts no more runs')
    return undefined
  }

  /** Publishes files whose unknown names exist by now. Whether there were any. */
  async #takeUpNamed(): Promise<boolean> {
    const { unnamed } = this.record
    if (unnamed.size === 0) return false
    const { files, catalogue, log } = this.#options
    const base = await this.shared?.base()
    const read = await readPlaybookFolder(await files.read(), catalogue, await this.known())
    const named = read.flatMap(({ path, hash, playbook }) =>
      playbook !== undefined && unnamed.has(path) ? [{ path, hash, playbook }] : [],
    )
    if (named.length === 0) return false
    const hashes = named.map(({ path, hash }) => ({ path: this.record.fileAt(path), hash }))
    const versions = await ownedBy(named, this.#options.uuidOf, () => undefined)
    if (!(await this.#versions.publish(versions, { removed: [], files: hashes }, theServer, base)))
      return false
    for (const { path, hash, playbook } of named) {
      this.record.noteNamed(playbook.name, path, hash)
      log.info({ playbook: playbook.name, path }, 'the playbook is live')
    }
    return true
  }
}
