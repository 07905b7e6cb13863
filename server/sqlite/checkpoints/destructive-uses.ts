import { exceededLimit, limitOf } from '../../../core/destructive/policy.ts'
import {
  destructiveWindowMs,
  type DestructiveLimits,
  type DestructiveUses,
  type ExceededLimit,
  type OwnDestructiveLimits,
} from '../../../core/domain/destructive-use.ts'
import type { DestructiveClass } from '../../../core/plugin/index.ts'
import type { DestructiveUseStore } from '../../../core/ports/runs/destructive-use-store.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { openQuestion } from '../../../core/transitions/question.ts'
import { fromJson } from '../database/columns.ts'
import { deleteExpired, expiringTables } from '../context/rows.ts'
import { WindowClock } from '../limits/window-clock.ts'
import type { Database } from '../database/database.ts'
import type { StoreContext } from '../context/store-context.ts'

/** Expired uses that each new one deletes: more than one, so that they cannot pile up. */
const clearedAtOnce = 20

interface Uses {
  readonly run: number
  /** Paths of their steps. */
  readonly paths: readonly string[]
  readonly skill: string
  readonly class: DestructiveClass
}

/** The hourly window of the limits. */
export class SqliteDestructiveUseStore implements DestructiveUseStore {
  readonly #database: Database
  readonly #clock: WindowClock

  constructor({ database, clock }: Pick<StoreContext, 'database' | 'clock'>) {
    this.#database = database
    this.#clock = new WindowClock(clock, () => this.#newest())
  }

  /** Inside of the write of an intent: counts each use once, or gives why the uses are held. */
  take(
    { run, paths, skill, class: kind }: Uses,
    limits: DestructiveLimits | undefined,
  ): ExceededLimit | undefined {
    const now = this.#clock.now()
    const organization = this.#database.one<{ id: number; own: string | null }>(
      `SELECT id, destructive_limits AS own FROM organizations
       WHERE id = (SELECT organization_id FROM runs WHERE id = ?)`,
      run,
    )
    const all = JSON.stringify(paths)
    const { counted } = this.#database.one<{ counted: number }>(
      'SELECT count(*) AS counted FROM destructive_uses WHERE run_id = ? AND path IN (SELECT value FROM json_each(?))',
      run,
      all,
    )
    const wanted = paths.length - counted
    if (limits !== undefined && wanted > 0) {
      const { uses } = this.#database.one<{ uses: number }>(
        'SELECT count(*) AS uses FROM destructive_uses WHERE organization_id = ? AND class = ? AND used_at > ?',
        organization.id,
        kind,
        now - destructiveWindowMs,
      )
      const own = organization.own === null ? undefined : fromJson<OwnDestructiveLimits>(organization.own)
      const held = exceededLimit(kind, { uses, wanted, limit: limitOf(limits, own, kind) })
      if (held !== undefined) return held
    }
    this.#database.run(
      `INSERT INTO destructive_uses (run_id, path, organization_id, skill, class, used_at)
       SELECT ?, value, ?, ?, ?, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
      run,
      organization.id,
      skill,
      kind,
      now,
      all,
    )
    this.#database.run(
      `DELETE FROM destructive_uses WHERE (run_id, path) IN (SELECT run_id, path FROM destructive_uses
         WHERE organization_id = ? AND class = ? AND used_at <= ? ORDER BY used_at LIMIT ?)`,
      organization.id,
      kind,
      now - 2 * destructiveWindowMs,
      clearedAtOnce,
    )
    return undefined
  }

  /** Inside of a write: the use is known to have changed nothing. */
  takeBack(run: number, path: string): void {
    this.#database.run('DELETE FROM destructive_uses WHERE run_id = ? AND path = ?', run, path)
  }

  /** Inside of a write: releases reserved uses that have not begun. */
  release(run: number, paths: readonly string[]): void {
    this.#database.run(
      `DELETE FROM destructive_uses WHERE run_id = ? AND path IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.run_id = destructive_uses.run_id AND j.path = destructive_uses.path)`,
      run,
      JSON.stringify(paths),
    )
  }

  /** Inside of a write: deletes expired uses of all skills, at most `atMost`. Gives their number. */
  clearAway(atMost: number): number {
    return deleteExpired(
      this.#database,
      expiringTables.destructiveUses,
      this.#clock.now() - 2 * destructiveWindowMs,
      atMost,
    )
  }

  list(scope: OrganizationScope): Promise<readonly DestructiveUses[]> {
    return this.#database.read(() => {
      const rows = this.#database.all<DestructiveUses>(
        `SELECT o.uuid AS organizationUuid, class, sum(uses) AS uses, sum(held) AS held FROM (
           SELECT organization_id, class, 1 AS uses, 0 AS held FROM destructive_uses WHERE used_at > ?
           UNION ALL SELECT organization_id, question ->> '$.input.class', 0, question ->> '$.input.count' FROM checkpoints
             WHERE state = ? AND path LIKE '%/@approval'
         ) JOIN organizations o ON o.id = organization_id GROUP BY o.id, class ORDER BY o.code, class`,
        this.#clock.now() - destructiveWindowMs,
        openQuestion,
      )
      return rows.filter(({ organizationUuid }) => isInScope(scope, organizationUuid))
    })
  }

  #newest(): number {
    const { newest } = this.#database.one<{ newest: number }>(
      'SELECT ifnull(max(used_at), 0) AS newest FROM destructive_uses',
    )
    return newest
  }
}
