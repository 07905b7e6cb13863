import { setTimeout as sleep } from 'node:timers/promises'
import { allChanges, type Change, type ChangeSource } from '../../core/domain/change.ts'
import { placedChanges, publicIds, type NotedChange, type PlacedChange } from '../sql/database/changes.ts'
import type { Database } from '../sql/database/database.ts'
import type { Transactions, Work } from '../sql/database/work.ts'
import { parseChanges } from './change-triggers.ts'

type Listener = Parameters<ChangeSource['listen']>[0]

/** Changes of commits are gathered for this time, in milliseconds, because each read of their ids is a transaction. */
const gatherMs = 20

/** Reports the changes of this node's commits, as the triggers noted them. */
export class PostgresChanges implements ChangeSource {
  readonly #database: Database
  readonly #transactions: Pick<Transactions, 'read'>
  /** With the number of things that each wants to know by id. */
  readonly #listeners = new Map<Listener, () => number>()
  /** Uuids by key. */
  readonly #organizations = new Map<number, string>()
  #gathered: readonly NotedChange[] | 'many' = []
  #telling: Promise<void> | undefined

  constructor(database: Database, transactions: Pick<Transactions, 'read'>) {
    this.#database = database
    this.#transactions = transactions
  }

  listen(listener: Listener, mostNamed: () => number = () => Infinity): () => void {
    this.#listeners.set(listener, mostNamed)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Called after a commit. @param noted the setting `tocsin.changes` of its transaction */
  committed(noted: string): void {
    if (this.#listeners.size === 0) return
    const changes = parseChanges(noted)
    const before = this.#gathered
    this.#gathered = before === 'many' || changes === 'many' ? 'many' : [...before, ...changes]
    this.#telling ??= this.#tell()
  }

  /** Resolves when the listeners know of all commits so far. */
  async idle(): Promise<void> {
    await this.#telling
  }

  /** Never rejects. */
  async #tell(): Promise<void> {
    while (this.#gathered.length > 0) {
      await sleep(gatherMs)
      const gathered = this.#gathered
      this.#gathered = []
      const changes = await this.#transactions
        .read(() => this.#changesOf(gathered))
        // Listeners then read everything again, and get the error of the store themselves.
        .catch(() => allChanges([]))
      for (const listener of this.#listeners.keys()) listener(changes)
    }
    this.#telling = undefined
  }

  *#changesOf(gathered: readonly NotedChange[] | 'many'): Work<readonly Change[]> {
    const placed = gathered === 'many' ? [] : yield* placedChanges(this.#database, gathered)
    const isKnown = ({ organization }: PlacedChange): boolean =>
      organization === null || this.#organizations.has(organization)
    if (gathered === 'many' || !placed.every(isKnown))
      for (const { id, uuid } of yield* this.#database.all<{ id: number; uuid: string }>(
        'SELECT id, uuid FROM organizations',
      ))
        this.#organizations.set(id, uuid)
    if (gathered === 'many') return allChanges([...this.#organizations.values()])
    const mostNamed = Math.max(...[...this.#listeners.values()].map((most) => most()))
    const changes: Change[] = []
    for (const [kind, ofKind] of Map.groupBy(placed, (change) => change.kind)) {
      const named: PlacedChange[] = []
      for (const [organization, together] of Map.groupBy(ofKind, (change) => change.organization)) {
        if (together.length <= mostNamed) named.push(...together)
        else changes.push({ kind, organizationUuid: this.#uuidOf(organization), id: () => undefined })
      }
      if (named.length === 0) continue
      const ids = yield* publicIds(
        this.#database,
        kind,
        named.map(({ key }) => key),
      )
      for (const { organization, key } of named)
        changes.push({ kind, organizationUuid: this.#uuidOf(organization), id: () => ids.get(key) })
    }
    return changes
  }

  #uuidOf(organization: number | null): string | null {
    return organization === null ? null : (this.#organizations.get(organization) ?? null)
  }
}
