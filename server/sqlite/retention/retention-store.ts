import type { SessionLimits } from '../../../core/domain/session.ts'
import type {
  PrunedPiece,
  PrunePlace,
  RetentionRule,
  RetentionStore,
} from '../../../core/ports/retention-store.ts'
import type { SqliteDestructiveUseStore } from '../checkpoints/destructive-uses.ts'
import { pruneAlerts } from './prune-alerts.ts'
import { pruneRuns } from './prune-runs.ts'
import { PruneTally } from './prune-tally.ts'
import { forgetOldSessions } from '../access/session-store.ts'
import type { StoreContext } from '../context/store-context.ts'

/** Rows of a table that one write clears away. */
const clearedAtOnce = 500

/** Tables with rows that are over at a time, their keys, and the column with that time. */
const outlived = [
  ['once_requests', 'api_key_uuid, key_hash', 'expires_at'],
  ['alert_requests', 'api_key_uuid, idempotency_key', 'expires_at'],
  ['inbound_calls', 'connection_id, call', 'expires_at'],
  ['alert_groups', 'id', 'ends_at'],
] as const

export class SqliteRetentionStore implements RetentionStore {
  readonly #context: StoreContext
  readonly #destructiveUses: SqliteDestructiveUseStore

  constructor(context: StoreContext, destructiveUses: SqliteDestructiveUseStore) {
    this.#context = context
    this.#destructiveUses = destructiveUses
  }

  clearOutlived(sessions: SessionLimits): Promise<boolean> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const now = clock.now()
      const cleared = outlived.map(([table, key, column]) =>
        database.run(
          `DELETE FROM ${table} WHERE (${key}) IN
             (SELECT ${key} FROM ${table} WHERE ${column} <= ? ORDER BY ${column} LIMIT ${clearedAtOnce})`,
          now,
        ),
      )
      cleared.push(forgetOldSessions(database, sessions, now, clearedAtOnce))
      cleared.push(this.#destructiveUses.clearAway(clearedAtOnce))
      return cleared.includes(clearedAtOnce)
    })
  }

  pruneRuns(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece> {
    return this.#prune(pruneRuns, rule, from)
  }

  pruneAlerts(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece> {
    return this.#prune(pruneAlerts, rule, from)
  }

  #prune(work: typeof pruneRuns, rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const tally = new PruneTally()
      const next = work(database, rule.before, from, clock.now(), tally)
      tally.record(this.#context, rule)
      return { ...tally.all, next }
    })
  }
}
