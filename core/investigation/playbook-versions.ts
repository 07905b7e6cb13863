import QuickLRU from 'quick-lru'
import { runInSlices } from '../common/sliced.ts'
import { theServer, type Actor } from '../domain/audit.ts'
import { NotFoundError } from '../errors/errors.ts'
import { PlaybookError } from '../errors/playbook-error.ts'
import { contentHash } from '../playbook/language/source-text.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { parseInSlices } from '../playbook/read/parse.ts'
import type { PlaybookStore } from '../ports/playbook-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** From the playbooks folder, or generated for one organization. */
export type PlaybookOrigin =
  { readonly origin: 'file' } | { readonly origin: 'made' | 'trial'; readonly organizationUuid: string }

/** Maximum number of compiled versions in memory; others are compiled when a run needs them. */
const maxCompiled = 1_000

/** The stored versions, checked and compiled. */
export class PlaybookVersions {
  /** The newest version of each authored playbook, by name. */
  readonly authored = new Map<string, Playbook>()
  readonly #store: PlaybookStore
  readonly #catalogue: Catalogue
  readonly #compiled = new QuickLRU<string, Playbook>({ maxSize: maxCompiled })
  /** Content hash of the newest version, by `placeOf`. */
  readonly #newest = new QuickLRU<string, string>({ maxSize: maxCompiled })
  /** Versions that are being compiled, by hash, because many runs may need one at the same time. */
  readonly #underWay = new Map<string, Promise<Playbook>>()

  constructor(store: PlaybookStore, catalogue: Catalogue) {
    this.#store = store
    this.#catalogue = catalogue
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
  async keepChecked(
    playbook: Playbook,
    from: PlaybookOrigin,
    by: Actor = theServer,
    promoted?: Readonly<Record<string, unknown>>,
  ): Promise<Playbook> {
    const { name, hash, source } = playbook
    const organizationUuid = from.origin === 'file' ? null : from.organizationUuid
    await this.#store.put({ name, hash, source, origin: from.origin, organizationUuid }, by, promoted)
    this.#compiled.set(hash, playbook)
    this.#newest.set(placeOf(playbook, from), hash)
    if (from.origin === 'file') this.authored.set(name, playbook)
    return playbook
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
  newest(name: string): string | undefined
  byHash(hash: string): Promise<Playbook>
}

/** The newest versions of all playbooks called directly or indirectly, by name. */
export async function newestCalled(
  library: NewestPlaybooks,
  playbook: Playbook,
  found = new Map<string, Playbook>(),
): Promise<ReadonlyMap<string, Playbook>> {
  for (const name of playbook.calls) {
    const hash = found.has(name) ? undefined : library.newest(name)
    if (hash === undefined) continue
    found.set(name, await library.byHash(hash))
    await newestCalled(library, found.get(name)!, found)
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
