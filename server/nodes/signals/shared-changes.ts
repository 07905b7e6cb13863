import { allChanges, type Change, type ChangeKind, type ChangeSource } from '../../../core/domain/change.ts'
import type { Signals, ToldChange } from '../../../core/ports/nodes/signals.ts'

export interface SharedChangesOptions {
  /** Changes of this node. */
  readonly local: ChangeSource
  readonly signals: Signals
  /** Uuids of all organizations. */
  readonly organizations: () => Promise<readonly string[]>
}

/** Changes of this node are gathered for this time. */
const gatherMs = 50
/** Ids told per kind and organization; beyond this, only that there are changes. */
const maxNamed = 5
/** So that a signal fits into a notification. */
const changesPerSignal = 40

/** What changes a cached key, account or connection. */
const configuration: ReadonlySet<ChangeKind> = new Set([
  'key',
  'account',
  'session',
  'organization',
  'provider',
  'connection',
])

/** The changes of all nodes: tells the others of those here. */
export class SharedChanges implements ChangeSource {
  readonly #options: SharedChangesOptions
  readonly #listeners = new Set<(changes: readonly Change[]) => void>()
  readonly #ends: readonly (() => void)[]
  readonly #gathered = new Map<string, ToldChange[]>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: SharedChangesOptions) {
    this.#options = options
    const { local, signals } = options
    this.#ends = [
      local.listen(
        (changes) => {
          this.#call(changes)
          for (const change of changes) this.#gather(change)
        },
        () => (this.#listeners.size === 0 ? maxNamed : Infinity),
      ),
      signals.listen((signal) => {
        if (signal.kind === 'changed') this.#call(signal.changes.map(received))
        if (signal.kind === 'missed') void this.#missed()
      }),
    ]
  }

  listen(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    for (const end of this.#ends) end()
    clearTimeout(this.#timer)
    this.#tell()
  }

  #call(changes: readonly Change[]): void {
    if (changes.length > 0) for (const listener of this.#listeners) listener(changes)
  }

  #gather({ kind, organizationUuid, id }: Change): void {
    const key = `${kind} ${organizationUuid}`
    const found = this.#gathered.get(key) ?? []
    this.#gathered.set(key, found)
    const told = found.some((other) => other.id === null) ? null : (id() ?? null)
    if (found.every((other) => other.id !== told)) found.push({ kind, organizationUuid, id: told })
    if (found.length > maxNamed) found.splice(0, found.length, { kind, organizationUuid, id: null })
    this.#timer ??= setTimeout(() => this.#tell(), gatherMs).unref()
  }

  #tell(): void {
    this.#timer = undefined
    const { signals } = this.#options
    const changes = [...this.#gathered.values()].flat()
    this.#gathered.clear()
    // Before the changes: whoever hears of a change reads caches, which must be distrusted by then.
    if (changes.some(({ kind }) => configuration.has(kind)))
      signals.publish({ kind: 'configuration_changed' })
    for (let at = 0; at < changes.length; at += changesPerSignal)
      signals.publish({ kind: 'changed', changes: changes.slice(at, at + changesPerSignal) })
  }

  /** Anything may have changed. Never rejects. */
  async #missed(): Promise<void> {
    if (this.#listeners.size === 0) return
    const organizations = await this.#options.organizations().catch(() => [])
    this.#call(allChanges(organizations))
  }
}

/** A newer node may tell of kinds that are not known here; listeners ignore them. */
const received = ({ kind, organizationUuid, id }: ToldChange): Change => ({
  kind,
  organizationUuid,
  id: () => id ?? undefined,
})
