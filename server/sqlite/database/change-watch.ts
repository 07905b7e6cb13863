import type { Change, ChangeKind, ChangeSource } from '../../../core/domain/change.ts'
import { placedChanges, publicIds, type NotedChange, type PlacedChange } from '../../sql/database/changes.ts'
import { createTriggers, dropTriggers, ownOrganization } from './change-triggers.ts'
import { done, type SqliteDatabase } from './sqlite-database.ts'

type Listener = Parameters<ChangeSource['listen']>[0]

/**
 * Reports changes of this process's writes after their commit. Triggers record them, and exist only while
 * there are listeners: writes need no extra code, and cost nothing without listeners.
 */
export class ChangeWatch implements ChangeSource {
  readonly #database: SqliteDatabase
  readonly #listeners = new Set<Listener>()
  readonly #noted: NotedChange[] = []
  readonly #organizations = new Map<number, string>()

  constructor(database: SqliteDatabase) {
    this.#database = database
    database.connection.define('note_change', (kind, organization, key) => {
      this.#noted.push({
        kind: kind as ChangeKind,
        organization: organization === ownOrganization ? undefined : (organization as number | null),
        key: Number(key),
      })
    })
  }

  listen(listener: Listener): () => void {
    if (this.#listeners.size === 0) createTriggers(this.#database.connection)
    this.#listeners.add(listener)
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
      if (this.#database.connection.isOpen) dropTriggers(this.#database.connection)
    }
  }

  /** Number of changes recorded in the current transaction. */
  get noted(): number {
    return this.#noted.length
  }

  /** Drops changes recorded since, after a rollback. */
  undone(since = 0): void {
    this.#noted.length = since
  }

  /** Call after COMMIT. */
  committed(): void {
    if (this.#noted.length === 0) return
    const changes = done(placedChanges(this.#database, this.#noted.splice(0)))
    const told = changes.map((change) => this.#toChange(change))
    for (const listener of this.#listeners) listener(told)
  }

  #toChange({ kind, key, organization }: PlacedChange): Change {
    const organizationUuid = organization === null ? null : this.#uuidOf(organization)
    return { kind, organizationUuid, id: () => done(publicIds(this.#database, kind, [key])).get(key) }
  }

  #uuidOf(organization: number): string | null {
    const known = this.#organizations.get(organization)
    if (known !== undefined) return known
    const row = this.#database.connection.get<{ uuid: string }>(
      'SELECT uuid FROM organizations WHERE id = ?',
      organization,
    )
    if (row !== undefined) this.#organizations.set(organization, row.uuid)
    return row?.uuid ?? null
  }
}
