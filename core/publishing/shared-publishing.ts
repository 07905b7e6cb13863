import type { PlaybookVersions } from '../investigation/playbook-versions.ts'
import { UnavailableError } from '../errors/errors.ts'
import type { Log } from '../ports/log.ts'
import type { PlaybookStore } from '../ports/playbook-store.ts'
import type { FolderRecord } from './folder-record.ts'
import type { NodeFolder } from './node-folder.ts'

export interface SharedPublishingOptions {
  readonly store: Pick<PlaybookStore, 'published' | 'folder'>
  readonly versions: PlaybookVersions
  readonly record: FolderRecord
  readonly folder: NodeFolder | undefined
  readonly log: Log
}

/** A change whose files are not written after this time was left behind by a node that was lost, in milliseconds. */
const longestChangeMs = 30_000

/** The published playbooks beside other nodes: the store has them, and one node at a time reads the folder. */
export class SharedPublishing {
  readonly #options: SharedPublishingOptions
  /** The change that another node has prepared, and when it was first seen. */
  #seen: { readonly change: string; readonly at: number } | undefined
  /** Whether the folder of this node does not have yet what was followed, and the versions before that. */
  #isBehind = false
  readonly #earlier = new Set<string>()

  constructor(options: SharedPublishingOptions) {
    this.#options = options
  }

  /** Makes the playbooks of this node those that are published. Whether any has changed. Only in turn. */
  async follow(): Promise<boolean> {
    const { store, versions, record } = this.#options
    const { authored } = versions
    const published = await store.published()
    const news = [...published].filter(([name, hash]) => authored.get(name)?.hash !== hash)
    const removed = [...authored.keys()].filter((name) => !published.has(name))
    if (news.length + removed.length === 0) {
      if (this.#isBehind) await this.#bring(published)
      return false
    }
    for (const { hash } of authored.values()) this.#earlier.add(hash)
    const { files } = await store.folder()
    record.taken.clear()
    for (const [file, hash] of files) record.taken.set(record.pathIn(file), hash)
    for (const name of removed) {
      authored.delete(name)
      record.paths.delete(name)
    }
    let isChanged = removed.length > 0
    for (const [name, hash] of news) isChanged = (await this.#publish(name, hash)) || isChanged
    await this.#bring(published)
    return isChanged
  }

  /** Throws UnavailableError `playbooks_changing` while another node writes the files of a change. */
  async requireIdle(): Promise<void> {
    if (await this.isChanging())
      throw new UnavailableError(
        'playbooks_changing',
        'another server is publishing a change of the playbooks',
        {
          retryAfterMs: 1_000,
          hint: 'try again in a second',
        },
      )
  }

  /** Whether another node writes the files of a change. */
  async isChanging(): Promise<boolean> {
    const { prepared } = await this.#options.store.folder()
    if (prepared === undefined) {
      this.#seen = undefined
      return false
    }
    const change = JSON.stringify(prepared)
    if (this.#seen?.change !== change) this.#seen = { change, at: performance.now() }
    return performance.now() - this.#seen.at < longestChangeMs
  }

  async #publish(name: string, hash: string): Promise<boolean> {
    const { versions, record, log } = this.#options
    const error = await versions.adopt(name, hash)
    if (error !== undefined) {
      record.logOnce(`${name} ${hash}`, () =>
        log.error(
          { playbook: name, hash, error },
          'a playbook that another node has published is not valid here',
        ),
      )
      return false
    }
    const path = record.takenFrom(hash)
    if (path !== undefined) record.paths.set(name, path)
    log.info({ playbook: name, hash }, 'another node has published the playbook: it is live')
    return true
  }

  /** Brings the folder of this node up to date. A failure is tried again: the playbooks are live without it. */
  async #bring(published: ReadonlyMap<string, string>): Promise<void> {
    const { folder, record, log } = this.#options
    if (folder === undefined) return
    try {
      this.#isBehind = (await this.isChanging()) || !(await folder.follow(published, this.#earlier))
      if (!this.#isBehind) this.#earlier.clear()
    } catch (error) {
      this.#isBehind = true
      record.logOnce(`bring ${String(error)}`, () =>
        log.warn({ error }, 'could not bring the playbooks folder of this node up to date; trying again'),
      )
    }
  }
}
