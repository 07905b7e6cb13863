import type { PlaybookVersions } from '../investigation/playbook-versions.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { UnavailableError } from '../errors/errors.ts'
import type { Log } from '../ports/log.ts'
import type { PlaybookStore } from '../ports/playbook-store.ts'
import type { FolderRecord } from './folder-record.ts'

export interface SharedPublishingOptions {
  readonly store: Pick<PlaybookStore, 'published' | 'folder'>
  readonly versions: PlaybookVersions
  readonly record: FolderRecord
  readonly log: Log
}

/** A change whose files are not written after this time was left behind by a node that was lost, in milliseconds. */
const longestChangeMs = 30_000

/** The published playbooks beside other nodes: the store has them, and one node at a time reads the folder. */
export class SharedPublishing {
  readonly #options: SharedPublishingOptions
  /** The change that another node has prepared, and when it was first seen. */
  #seen: { readonly change: string; readonly at: number } | undefined

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
    if (news.length + removed.length === 0) return false
    const { files } = await store.folder()
    record.taken.clear()
    for (const [file, hash] of files) record.taken.set(record.pathIn(file), hash)
    for (const name of removed) {
      authored.delete(name)
      record.paths.delete(name)
    }
    let isChanged = removed.length > 0
    for (const [name, hash] of news) isChanged = (await this.#publish(name, hash)) || isChanged
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
    try {
      versions.authored.set(name, await versions.byHash(hash))
    } catch (error) {
      if (!(error instanceof PlaybookError)) throw error
      record.logOnce(`${name} ${hash}`, () =>
        log.error(
          { playbook: name, hash, error },
          'a playbook that another node has published is not valid here',
        ),
      )
      return false
    }
    const path = [...record.taken].find(([, content]) => content === hash)?.[0]
    if (path !== undefined) record.paths.set(name, path)
    log.info({ playbook: name, hash }, 'another node has published the playbook: it is live')
    return true
  }
}
