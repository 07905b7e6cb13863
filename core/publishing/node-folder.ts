import { dirname } from 'node:path'
import type { Author } from '../domain/audit.ts'
import { contentHash, decode } from '../playbook/language/source-text.ts'
import { nameOfSource } from '../playbook/read/parse-together.ts'
import type { Log } from '../ports/log.ts'
import type { PlaybookStore } from '../ports/playbook-store.ts'
import type { FolderRecord } from './folder-record.ts'
import type { FolderFile, FolderState, PlaybookFiles } from './playbook-files.ts'
import { fileHash } from './read-folder.ts'
import { hashAt } from './write-change.ts'

/** A file that differs from the version that a person has published, and that this process has not seen change. */
interface Outdated {
  readonly path: string
  readonly name: string
  /** Content hash of the file; null: there is none. */
  readonly before: string | null
  /** The published source; null: the playbook is deleted. */
  readonly source: string | null
  /** Who has published or deleted it. */
  readonly by: Author
}

interface Look {
  readonly state: FolderState
  readonly files: readonly FolderFile[]
  readonly outdated: readonly Outdated[]
  /** Names of playbooks that stay published although the folder has no file of them. */
  readonly kept: ReadonlySet<string>
  readonly isWritable: boolean
}

interface NodeFolderOptions {
  readonly store: Pick<PlaybookStore, 'findByHash' | 'lastChangedBy'>
  readonly files: PlaybookFiles
  readonly record: FolderRecord
  readonly log: Log
}

interface LookOptions {
  /** Whether files that differ from what was last seen are left as they are. */
  readonly isStrict: boolean
  readonly written?: ReadonlySet<string>
  readonly earlier?: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/** Content hashes by name. */
type Published = ReadonlyMap<string, string>

/**
 * The folder of one of several nodes. It does not have what people have published on another node, so a file counts as a change only if
 * this process has seen it change, or if its content was never published. Other files are replaced by what a person has published.
 */
export class NodeFolder {
  readonly #options: NodeFolderOptions
  /** Content hashes by path as this process has last seen them, except of changes that are not published yet. */
  #seen: Map<string, string> | undefined
  /** Whether it has read the folder to publish it: only then, changes to earlier versions and deletions count. */
  #isReader = false
  /** As last read to be published. */
  #read: ReadonlyMap<string, string> = new Map()

  constructor(options: NodeFolderOptions) {
    this.#options = options
  }

  /**
   * The files of the folder, after outdated ones were replaced. Those that could not be replaced are given as they should be.
   *
   * @param written paths of files that a change over the API has just written or deleted
   */
  async read(published: Published, atStart: boolean, written: ReadonlySet<string>): Promise<Look> {
    const how = { written, isStrict: this.#isReader }
    let look = await this.#look(published, how)
    if (await this.#replace(look)) look = await this.#look(published, how)
    this.#read = hashesOf(look.files)
    // Without any file, the volume may not be mounted.
    if (look.files.length === 0 && !atStart) return { ...look, outdated: [], kept: new Set() }
    if (!this.#isReader) this.noteTaken()
    this.#isReader = true
    this.#options.record.outdated = look.outdated.map(({ path, name, by }) => ({
      file: this.#options.record.fileAt(path),
      playbook: name,
      changedBy: by.name,
    }))
    return { ...look, files: replaced(look) }
  }

  /**
   * Replaces outdated files after other nodes have published.
   *
   * @param earlier content hashes that were published before
   * @returns whether that is done, as far as it can be
   */
  async follow(published: Published, earlier: ReadonlySet<string>): Promise<boolean> {
    const look = await this.#look(published, { earlier, isStrict: true })
    this.#seen ??= hashesOf(look.files)
    await this.#replace(look)
    return !look.state.isBusy
  }

  /** The files that were last read are published. */
  noteTaken(): void {
    this.#seen = new Map(this.#read)
  }

  /** A file was written or, with null, deleted. */
  noteWritten(path: string, source: string | null): void {
    if (source === null) this.#seen?.delete(path)
    else this.#seen?.set(path, contentHash(source))
  }

  /** Whether a file holds an earlier version of the playbook, which is not a change by hand that waits to be published. */
  async isEarlier(name: string, path: string, hash: string): Promise<boolean> {
    if (this.#isReader && this.#hasChanged(path, hash)) return false
    const stored = await this.#options.store.findByHash('all', hash)
    return stored?.origin === 'file' && stored.name === name
  }

  #hasChanged(path: string, hash: string): boolean {
    return this.#seen !== undefined && this.#seen.get(path) !== hash
  }

  async #look(
    published: Published,
    { isStrict, written = none, earlier = none }: LookOptions,
  ): Promise<Look> {
    const { files: folder, record } = this.#options
    const state = await folder.state()
    const files = await folder.read()
    const hashes = hashesOf(files)
    const nameOf = new Map([...published].map(([name, hash]) => [hash, name]))
    const outdated: Outdated[] = []
    const held = new Set<string>()
    for (const [path, hash] of hashes) {
      const name = nameOf.get(hash)
      if (name !== undefined) {
        held.add(name)
        record.paths.set(name, path)
      }
      if (name !== undefined || earlier.has(hash)) this.#seen?.set(path, hash)
    }
    const unknown: FolderFile[] = []
    for (const file of files) {
      const { path } = file
      const hash = hashes.get(path)!
      if (nameOf.has(hash)) continue
      const isInput = written.has(path) || (isStrict && this.#hasChanged(path, hash))
      const successor = isInput ? undefined : await this.#successor(hash, published)
      if (successor === undefined || held.has(successor.name)) unknown.push(file)
      else {
        held.add(successor.name)
        if (successor.source !== null) record.paths.set(successor.name, path)
        outdated.push({ path, before: hash, ...successor })
      }
    }
    const kept = new Set<string>()
    for (const [name, hash] of published) {
      if (held.has(name)) continue
      const version = await this.#options.store.findByHash('all', hash)
      const by = version?.putInForce?.by
      const path = this.#placeOf(name, hash, hashes)
      const isGone = !hashes.has(path) && this.#seen?.has(path) === true
      if (version === undefined || !isPerson(by) || written.has(path) || (isStrict && isGone)) continue
      kept.add(name)
      if (hashes.has(path) || unknown.some((file) => mayDefine(file, name))) continue
      outdated.push({ path, name, before: null, source: version.source, by })
    }
    // A folder without the files that others have published, or that it had, may be a volume that is not mounted.
    const isLost = files.length === 0 && (kept.size < published.size || (this.#seen?.size ?? 0) > 0)
    return { state, files, outdated, kept, isWritable: state.exists && !state.isBusy && !isLost }
  }

  /** What a person has published or deleted after the version with this hash; undefined: nothing. */
  async #successor(
    hash: string,
    published: Published,
  ): Promise<Pick<Outdated, 'name' | 'source' | 'by'> | undefined> {
    const { store } = this.#options
    const stored = hash === '' ? undefined : await store.findByHash('all', hash)
    if (stored?.origin !== 'file') return undefined
    const { name } = stored
    const by = await store.lastChangedBy(name)
    if (!isPerson(by)) return undefined
    const now = published.get(name)
    const live = now === undefined ? undefined : await store.findByHash('all', now)
    return { name, source: live?.source ?? null, by }
  }

  /** Where the file of a playbook belongs: only beside other files, because a folder may be a link to elsewhere. */
  #placeOf(name: string, hash: string, hashes: ReadonlyMap<string, string>): string {
    const { record } = this.#options
    const path = record.paths.get(name) ?? record.takenFrom(hash)
    const inRoot = record.pathIn(`${name}.yaml`)
    const folders = new Set(
      [inRoot, ...hashes.keys(), ...(this.#seen?.keys() ?? [])].map((each) => dirname(each)),
    )
    return path !== undefined && folders.has(dirname(path)) ? path : inRoot
  }

  /** Whether any file was replaced. */
  async #replace({ outdated, isWritable }: Look): Promise<boolean> {
    if (!isWritable) return false
    const { files: folder, record, log } = this.#options
    let isAny = false
    for (const { path, name, before, source, by } of outdated) {
      const fields = { path, playbook: name, actor: by.name }
      try {
        if ((await hashAt(path, folder)) !== before) continue
        await folder.write([{ path, source }])
        this.noteWritten(path, source)
        isAny = true
        log.info(
          { ...fields, hash: before },
          `replaced a file that was older than the change of the playbook by ${by.name}`,
        )
      } catch (error) {
        record.logOnce(`outdated ${path} ${source === null ? '' : contentHash(source)}`, () =>
          log.warn({ ...fields, error }, refusal(by.name, source)),
        )
      }
    }
    return isAny
  }
}

const refusal = (by: string, source: string | null): string =>
  `the file is older than ${source === null ? 'the deletion of the playbook' : 'the version of the playbook'} by ${by}, and cannot be replaced; it is not published. ` +
  'Put the same change into the file; to publish the file instead, change it'

function replaced({ files, outdated }: Look): readonly FolderFile[] {
  const sources = new Map(outdated.map(({ path, source }) => [path, source]))
  const rest = files.filter(({ path }) => !sources.has(path))
  const given = [...sources].flatMap(([path, source]) =>
    source === null ? [] : [{ path, source: new TextEncoder().encode(source) }],
  )
  return [...rest, ...given].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Empty: the file cannot be read. */
const hashesOf = (files: readonly FolderFile[]): Map<string, string> =>
  new Map(files.map(({ path, source }) => [path, source instanceof Uint8Array ? fileHash(source) : '']))

/** Files of the folder are published by the server. */
const isPerson = (by: Author | undefined): by is Author => by !== undefined && by.kind !== 'server'

function mayDefine({ source }: FolderFile, name: string): boolean {
  if (!(source instanceof Uint8Array)) return true
  return (nameOfSource(decode(source).text) ?? name) === name
}
