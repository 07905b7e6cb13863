import { setTimeout as sleep } from 'node:timers/promises'
import type { PlaybookVersions } from '../investigation/playbook-versions.ts'
import { UnavailableError } from '../errors/errors.ts'
import type { Log } from '../ports/log.ts'
import type { PlaybookStore, PreparedChange, PublishedBase } from '../ports/playbook-store.ts'
import type { FolderRecord } from './folder-record.ts'
import type { NodeFolder } from './node-folder.ts'

export interface SharedPublishingOptions {
  readonly store: Pick<PlaybookStore, 'published' | 'folder'>
  readonly versions: PlaybookVersions
  readonly record: FolderRecord
  readonly folder: NodeFolder
  readonly log: Log
}

/** A change whose files are not written after this time was left behind by a node that was lost, in milliseconds. */
const longestChangeMs = 30_000
/** How long a change waits for those of other nodes, and the time between two tries, in milliseconds. */
const longestWaitMs = 1_000
const retryMs = 20

/** The published playbooks beside other nodes: the store has them, and one node at a time reads the folder. */
export class SharedPublishing {
  readonly #options: SharedPublishingOptions
  /** The change that another node has prepared, and when it was first seen. */
  #seen: { readonly change: string; readonly at: number } | undefined
  /** Whether the folder of this node does not have yet what was followed, and the versions before that. */
  #isBehind = false
  readonly #earlier = new Set<string>()
  /** Whether others have published what the callers of `follow` were not told. */
  #hasNews = false

  constructor(options: SharedPublishingOptions) {
    this.#options = options
  }

  /** Makes the playbooks of this node those that are published. Whether any has changed. Only in turn. */
  async follow(): Promise<boolean> {
    const isNews = (await this.#follow(await this.#options.store.published())) || this.#hasNews
    this.#hasNews = false
    return isNews
  }

  async #follow(published: PublishedBase['published']): Promise<boolean> {
    const { store, versions, record } = this.#options
    const { authored } = versions
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

  /**
   * Makes a change over the API on top of what others have published, and again if they publish meanwhile. Only in turn.
   *
   * @throws UnavailableError `playbooks_changing` if others go on publishing
   */
  async change<T>(work: (base: PublishedBase) => Promise<T>): Promise<T> {
    const start = performance.now()
    for (;;) {
      try {
        const { prepared, isLeft } = await this.#prepared()
        if (prepared !== undefined && !isLeft) throw playbooksChanging()
        const base = await this.#baseOn(prepared)
        this.#hasNews = (await this.#follow(base.published)) || this.#hasNews
        return await work(base)
      } catch (error) {
        const isOther = !(error instanceof UnavailableError) || error.code !== 'playbooks_changing'
        if (isOther || performance.now() - start > longestWaitMs) throw error
        await sleep(retryMs)
      }
    }
  }

  /**
   * The base of a change that begins now: of it, nothing is stored while another node writes the files of a change.
   *
   * @param own the change whose files this node has written
   */
  async base(own?: PreparedChange): Promise<PublishedBase> {
    if (own !== undefined) return await this.#baseOn(own)
    const { prepared, isLeft } = await this.#prepared()
    return await this.#baseOn(isLeft ? prepared : undefined)
  }

  /** Whether another node writes the files of a change. */
  async isChanging(): Promise<boolean> {
    const { prepared, isLeft } = await this.#prepared()
    return prepared !== undefined && !isLeft
  }

  async #baseOn(prepared: PreparedChange | undefined): Promise<PublishedBase> {
    return { prepared, published: await this.#options.store.published() }
  }

  /** The change that is prepared, and whether a lost node has left it behind. */
  async #prepared(): Promise<{ readonly prepared: PreparedChange | undefined; readonly isLeft: boolean }> {
    const { prepared } = await this.#options.store.folder()
    if (prepared === undefined) return { prepared, isLeft: false }
    const change = JSON.stringify(prepared)
    if (this.#seen?.change !== change) this.#seen = { change, at: performance.now() }
    return { prepared, isLeft: performance.now() - this.#seen.at >= longestChangeMs }
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

/** Another node has prepared or published a change. */
export const playbooksChanging = (): UnavailableError =>
  new UnavailableError('playbooks_changing', 'another server is publishing a change of the playbooks', {
    retryAfterMs: 1_000,
    hint: 'try again in a second',
  })
