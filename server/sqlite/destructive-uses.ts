import { destructiveWindowMs, type DestructiveUses, type HeldUse } from '../../core/domain/destructive-use.ts'
import type { Clock, DestructiveUseStore, Scope } from '../../core/ports.ts'
import { isInScope } from '../../core/scope.ts'
import type { Database } from './database.ts'
import type { StoreContext } from './store-context.ts'

/** Uses that are long over which a new one clears away: more than one, so that they cannot pile up. */
const clearedAtOnce = 20

interface Use {
  readonly run: number
  readonly path: string
  readonly skill: string
}

/**
 * The hours of the breaker. A clock that is set forward must not make room, and one that is set back must not close it for long: so the
 * time of day counts when the process starts, and what has really passed since. It never lies before a use that is recorded.
 */
export class SqliteDestructiveUseStore implements DestructiveUseStore {
  readonly #database: Database
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  #offset: number | undefined

  constructor({ database, clock }: Pick<StoreContext, 'database' | 'clock'>) {
    this.#database = database
    this.#clock = clock
  }

  /** Inside of the write of the intent. Gives why the use is held back; undefined: it is counted. */
  take({ run, path, skill }: Use, limit: number | undefined): HeldUse | undefined {
    const now = this.#now()
    const organization = this.#database.one<{ id: number }>(
      'SELECT organization_id AS id FROM runs WHERE id = ?',
      run,
    )
    const { uses } = this.#database.one<{ uses: number }>(
      'SELECT count(*) AS uses FROM destructive_uses WHERE organization_id = ? AND skill = ? AND used_at > ?',
      organization.id,
      skill,
      now - destructiveWindowMs,
    )
    if (limit !== undefined && uses >= limit) return { uses, limit }
    this.#database.run(
      `INSERT INTO destructive_uses (run_id, path, organization_id, skill, used_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      run,
      path,
      organization.id,
      skill,
      now,
    )
    this.#database.run(
      `DELETE FROM destructive_uses WHERE (run_id, path) IN (SELECT run_id, path FROM destructive_uses
         WHERE organization_id = ? AND skill = ? AND used_at <= ? ORDER BY used_at LIMIT ?)`,
      organization.id,
      skill,
      now - 2 * destructiveWindowMs,
      clearedAtOnce,
    )
    return undefined
  }

  /** Inside of a write: uses of any skill that are long over. Gives how many there were, `atMost` at a time. */
  clearAway(atMost: number): number {
    return this.#database.run(
      `DELETE FROM destructive_uses WHERE (run_id, path) IN
         (SELECT run_id, path FROM destructive_uses WHERE used_at <= ? LIMIT ?)`,
      this.#now() - 2 * destructiveWindowMs,
      atMost,
    )
  }

  list(scope: Scope): Promise<readonly DestructiveUses[]> {
    return this.#database.read(() => {
      const rows = this.#database.all<DestructiveUses>(
        `SELECT o.uuid AS organizationUuid, skill, sum(uses) AS uses, sum(held) AS held FROM (
           SELECT organization_id, skill, 1 AS uses, 0 AS held FROM destructive_uses WHERE used_at > ?
           UNION ALL SELECT organization_id, question ->> '$.input.skill', 0, 1 FROM checkpoints
             WHERE state = 'waiting' AND path LIKE '%/@approval'
         ) JOIN organizations o ON o.id = organization_id GROUP BY o.id, skill ORDER BY o.code, skill`,
        this.#now() - destructiveWindowMs,
      )
      return rows.filter(({ organizationUuid }) => isInScope(scope, organizationUuid))
    })
  }

  /** In whole milliseconds; the clock of the machine counts in parts of them. */
  #now(): number {
    const passed = this.#clock.monotonic?.()
    if (passed === undefined) return this.#clock.now()
    this.#offset ??= Math.max(this.#clock.now(), this.#newest()) - passed
    return Math.floor(this.#offset + passed)
  }

  #newest(): number {
    const { newest } = this.#database.one<{ newest: number }>(
      'SELECT ifnull(max(used_at), 0) AS newest FROM destructive_uses',
    )
    return newest
  }
}
