import type { Sliced } from '../common/sliced.ts'
import type { Actor } from '../domain/audit.ts'
import type { Rivalry } from '../playbook/check/find-rivals.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { KnownNames } from '../playbook/scope/context.ts'
import {
  checkBeside,
  type AcceptedEdit,
  type CheckedEdit,
  type SeenChange,
} from '../publishing/check-changes.ts'
import type { RefusedFile } from '../publishing/folder-record.ts'
import type { RefusedChange } from '../publishing/hindrance.ts'
import { PlaybookFolder, type PlaybookLibraryOptions, type Reloaded } from '../publishing/playbook-folder.ts'
import { applySet, type AppliedSet, type PlaybookSet, type SetOptions } from '../publishing/apply-set.ts'
import { liveHash, type PublishScope } from '../publishing/playbook-owner.ts'
import { promotion, type SeenVersions } from '../shadow/promoted-source.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'
import type { FolderReport, OutdatedFile } from '../ports/nodes/node-store.ts'
import type { Publication, PublishedBase } from '../ports/playbook-store.ts'
import { PlaybookVersions, type PlaybookOrigin } from './playbook-versions.ts'

/** The live playbooks, checked and compiled, and older versions that runs still use. */
export interface PlaybookLibrary {
  /** The newest version of each live authored playbook. */
  authored(): readonly Playbook[]
  /** The newest version of each authored playbook that runs in shadow. */
  shadows(): readonly Playbook[]
  /**
   * Content hash of the live authored playbook of this name.
   *
   * @param organization only if the organization with this code may run it. Default: any
   */
  newest(name: string, organization?: string): string | undefined
  /** Content hash of the authored playbook of this name, which may run in shadow. */
  published(name: string): string | undefined
  /** File of the authored playbook of this name. */
  fileOf(name: string): string | undefined
  /** Path of the playbooks folder. */
  readonly folder: string
  /** Files of the folder that are not live. */
  refused(): readonly RefusedFile[]
  /** Files that are older than what a person has published on another node, and cannot be replaced. */
  outdated(): readonly OutdatedFile[]
  /** A change of the folder that is not published because of its errors; undefined: all is published. */
  refusedChange(): RefusedChange | undefined
  /** Warnings about conflicting playbooks. */
  rivals(): readonly Rivalry[]
  /**
   * Any stored version. Throws NotFoundError `playbook_not_found`, and PlaybookError if it is no longer
   * valid.
   */
  byHash(hash: string): Promise<Playbook>
  /** Checks, stores and publishes a playbook. Throws PlaybookError with all problems. */
  keep(source: string, from: PlaybookOrigin): Promise<Playbook>
  /** Checks a source against the live playbooks and the known names, without storing it. */
  check(source: string, known?: KnownNames): Sliced<CheckedEdit>
  /**
   * Publishes what changed in the folder since it was last read, if all changed files are valid; otherwise nothing of it. A deleted
   * file ends its playbook: active runs continue, and no new ones start. Of several nodes, only one reads the folder; others give an
   * empty result.
   */
  reload(): Promise<Reloaded>
  /** As `reload`; if another node reads the folder, it is asked to. */
  reloadAnywhere(): Promise<Reloaded>
  /** Makes the playbooks of this node those that other nodes have published. Whether any has changed. */
  follow(): Promise<boolean>
  /**
   * Publishes files that were refused only because of names that exist by now, such as a new connection. Whether there were any; of
   * several nodes, only on the one that reads the folder.
   */
  takeUpRefused(): Promise<boolean>
  /** What this node tells the others of the folder; undefined: it does not read it, or nothing is wrong. */
  folderReport(): FolderReport | undefined
  /**
   * Publishes changes for later alerts and schedules, all or none: checks them together, and writes and deletes their files in the
   * folder. Active runs continue with the version they started with.
   *
   * @param scope what `by` may publish. Default: everything
   * @returns the playbooks of the new sources, in the order of the changes
   * @throws the errors of `requireMayChange`, `requireMayPublish`, `checkChanges` and `PlaybookFiles.write`; ConflictError `revision_changed` if another version is published
   * than the one seen, or the file was changed since it was read
   */
  apply(changes: readonly SeenChange[], by: Actor, scope?: PublishScope): Promise<readonly AcceptedEdit[]>
  /**
   * Makes the published playbooks equal to a set, all or nothing.
   *
   * @throws ValidationError `playbook_invalid` with each error of each source; ConflictError `revision_changed` if another set is
   * published than the one seen; the errors of `apply`
   */
  applySet(set: PlaybookSet, options: SetOptions): Promise<AppliedSet>
  /**
   * Makes a shadow live: writes it to the file of the playbook beside which it ran, and deletes its own file; a shadow that ran alone
   * stays in its file.
   *
   * @param promoted for the audit log
   * @param scope what `by` may publish. Default: everything
   * @throws ConflictError `revision_changed` if another version of either playbook is published, or its file was changed;
   * `playbook_not_in_shadow`; `promotion_impossible`, and the errors of `apply`
   */
  promote(
    name: string,
    seen: SeenVersions,
    by: Actor,
    promoted: NonNullable<Publication['promoted']>,
    scope?: PublishScope,
  ): Promise<AcceptedEdit>
}

interface OpenLibraryOptions extends PlaybookLibraryOptions {
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  /** Called when this node has published playbooks, or deleted them. */
  readonly onPublished?: (() => void) | undefined
  /** Asks the node that reads the folder to read it now. */
  readonly onReload?: (() => void) | undefined
  /** What the node that reads the folder tells of it. Default: that is this one. */
  readonly told?: (() => FolderReport | undefined) | undefined
}

const nothingReloaded: Reloaded = { refused: undefined, published: [], removed: [] }
const isChanging: Reloaded = {
  ...nothingReloaded,
  refused: { reason: 'changing', changed: 1, problems: [] },
}

/**
 * Opens the library and publishes the files of the folder. The first time, a file with mistakes is logged and listed as refused, and
 * the others are published; of two files with the same name, the first is used. Later, a change of the folder is published if all its
 * files are valid; otherwise the published set stays live.
 */
export async function openPlaybookLibrary(options: OpenLibraryOptions): Promise<PlaybookLibrary> {
  const { store, catalogue, exclusive = onlyProcess, onPublished, told = () => undefined } = options
  const versions = new PlaybookVersions(store, catalogue, onPublished)
  const { authored } = versions
  const folder = new PlaybookFolder(options, versions, exclusive.isShared)
  const { record, shared } = folder
  const readsFolder = () => exclusive.isMine('playbooks_folder')
  /** A change over the API, by one node at a time. */
  const change = <T>(work: (base?: PublishedBase) => Promise<T>): Promise<T> =>
    folder.inTurn(() => (shared === undefined ? work() : shared.change(work)))
  async function reload(): Promise<Reloaded> {
    if (!(await readsFolder())) return nothingReloaded
    return (await shared?.isChanging()) === true ? isChanging : await folder.reload()
  }
  const isReader = await readsFolder()
  await folder.undoLeft(isReader)
  if (isReader) await folder.load()
  else await shared?.follow()
  return {
    authored: () => versions.live(),
    shadows: () => [...authored.values()].filter(({ shadow }) => shadow !== undefined),
    newest: (name, organization) => liveHash(authored.get(name), organization),
    published: (name) => authored.get(name)?.hash,
    fileOf: (name) => record.paths.get(name),
    folder: options.files.folder,
    refused: () => told()?.refused ?? record.refused,
    outdated: () => told()?.outdated ?? record.outdated,
    refusedChange: () => told()?.change ?? record.refusedChange,
    folderReport: () => record.report(),
    rivals: () => record.rivals,
    byHash: (hash) => versions.byHash(hash),
    keep: (source, from) => versions.keep(source, from),
    check: (source, names) => checkBeside(source, [...authored.values()], catalogue, names),
    follow: () => folder.inTurn(async () => (await shared?.follow()) === true),
    reload,
    async reloadAnywhere() {
      if (!(await readsFolder())) options.onReload?.()
      return await reload()
    },
    takeUpRefused: async () => (await readsFolder()) && (await folder.takeUpRefused()),
    apply: (changes, by, scope) => change((base) => folder.apply(changes, by, scope, base)),
    applySet: (given, how) => change((base) => applySet(given, how, { folder, catalogue, authored, base })),
    promote: (name, seen, by, promoted, scope) =>
      change(async (base) => {
        const changes = promotion(name, authored.get(name), seen, promoted)
        const [accepted] = await folder.apply(changes, by, scope, base)
        return accepted!
      }),
  }
}
