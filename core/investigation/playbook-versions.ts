import QuickLRU from 'quick-lru'
import { runInSlices } from '../common/sliced.ts'
import { theServer, type Actor } from '../domain/audit.ts'
import { NotFoundError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { contentHash } from '../playbook/language/source-text.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { parseInSlices } from '../playbook/read/parse.ts'
import type { PlaybookStore, Publication, PublishedBase, PublishedSet } from '../ports/playbook-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** From the playbooks folder, shared unless it belongs to an organization, or generated for one organization. */
export type PlaybookOrigin =
  | { readonly origin: 'file'; readonly organizationUuid?: string | null }
  | { readonly origin: 'made' | 'trial'; readonly organizationUuid: string }

interface LiveVersion {
  readonly playbook: Playbook
  /** The organization that it belongs to; null: all share it. */
  readonly organizationUuid: string | null
  readonly publication?: Publication | undefined
}

/** Maximum number of compiled versions in memory; others are compiled when a run needs them. */
const maxCompiled = 1_000

/** The stored versions, checked and compiled. */
export class PlaybookVersions {
  /** The newest version of each authored playbook, by name. */
  readonly authored = new Map<string, Playbook>()
  readonly #store: PlaybookStore
  readonly #catalogue: Catalogue
  readonly #onPublished: (() => void) | undefined
  readonly #compiled = new QuickLRU<string, Playbook>({ maxSize: maxCompiled })
  /** Content hash of the newest version, by `placeOf`. */
  readonly #newest = new QuickLRU<string, string>({ maxSize: maxCompiled })
  /** Versions that are being compiled, by hash, because many runs may need one at the same time. */
  readonly #underWay = new Map<string, Promise<Playbook>>()

  /** @param onPublished called after authored playbooks were published or deleted */
  constructor(store: PlaybookStore, catalogue: Catalogue, onPublished?: () => void) {
    this.#store = store
    this.#catalogue = catalogue
    this.#onPublished = onPublished
  }

  /** Those of `authored` that do not run in shadow. */
  live(): readonly Playbook[] {
    return [...this.authored.values()].filter(({ shadow }) => shadow === undefined)
  }

  /** See `PlaybookLibrary`. */
  async byHash(hash: string): Promise<Playbook> {
    const known = this.#compiled.get(hash)
    if (known !== undefined) return known
    const found = this.#underWay.get(hash) ?? this.#compile(hash).finally(() => this.#underWay.delete(hash))
    this.#underWay.set(hash, found)
    return found
  }

  /** See `PlaybookLibrary`. */
  async keep(source: string, from: PlaybookOrigin): Promise<Playbook> {
    const hash = contentHash(source)
    const kept = this.#compiled.get(hash)
    if (kept !== undefined && this.#newest.get(placeOf(kept, from)) === hash) return kept
    return this.keepChecked(await check(source, this.#catalogue), from)
  }

  /** Stores a playbook as the newest version of its name. */
  async keepChecked(playbook: Playbook, from: PlaybookOrigin): Promise<Playbook> {
    const { name, hash, source } = playbook
    const { origin, organizationUuid = null } = from
    await this.#store.put({ name, hash, source, origin, organizationUuid }, theServer)
    this.#remember(playbook, from)
    return playbook
  }

  /** Publishes and deletes authored playbooks, all or nothing. See `PlaybookStore.publish`. */
  async publish(
    versions: readonly LiveVersion[],
    rest: Omit<PublishedSet, 'versions'>,
    by: Actor,
    base?: PublishedBase,
  ): Promise<boolean> {
    const stored = versions.map(({ playbook: { name, hash, source }, organizationUuid, publication }) => ({
      name,
      hash,
      source,
      organizationUuid,
      publication,
    }))
    if (!(await this.#store.publish({ ...rest, versions: stored }, by, base))) return false
    for (const { playbook } of versions) this.#remember(playbook, { origin: 'file' })
    for (const { name } of rest.removed) this.authored.delete(name)
    this.#onPublished?.()
    return true
  }

  /** Makes a stored version the live one of its name. Returns the error if it is no longer valid. */
  async adopt(name: string, hash: string): Promise<PlaybookError | undefined> {
    try {
      this.authored.set(name, await this.byHash(hash))
      return undefined
    } catch (error) {
      if (error instanceof PlaybookError) return error
      throw error
    }
  }

  #remember(playbook: Playbook, from: PlaybookOrigin): void {
    this.#compiled.set(playbook.hash, playbook)
    this.#newest.set(placeOf(playbook, from), playbook.hash)
    if (from.origin === 'file') this.authored.set(playbook.name, playbook)
  }

  async #compile(hash: string): Promise<Playbook> {
    const stored = await this.#store.findByHash('all', hash)
    if (stored === undefined) {
      throw new NotFoundError('playbook_not_found', `no playbook has the content hash ${hash}`)
    }
    const playbook = await check(stored.source, this.#catalogue)
    this.#compiled.set(hash, playbook)
    return playbook
  }
}

interface NewestPlaybooks {
  newest(name: string, organization: string): string | undefined
  byHash(hash: string): Promise<Playbook>
}

/**
 * The newest versions of all playbooks called directly or indirectly, by name.
 *
 * @param organization code of the organization of the run
 */
export async function newestCalled(
  library: NewestPlaybooks,
  playbook: Playbook,
  organization: string,
  found = new Map<string, Playbook>(),
): Promise<ReadonlyMap<string, Playbook>> {
  for (const name of playbook.calls) {
    const hash = found.has(name) ? undefined : library.newest(name, organization)
    if (hash === undefined) continue
    found.set(name, await library.byHash(hash))
    await newestCalled(library, found.get(name)!, organization, found)
  }
  return found
}

/** Each organization has its own generated playbooks. */
const placeOf = ({ name }: Playbook, from: PlaybookOrigin): string =>
  `${from.origin === 'file' ? '' : from.organizationUuid}/${name}`

/** @throws PlaybookError */
async function check(source: string, catalogue: Catalogue): Promise<Playbook> {
  const { playbook, problems } = await runInSlices(parseInSlices(source, { catalogue }))
  if (playbook === undefined) throw new PlaybookError('the playbook', problems)
  return playbook
}
