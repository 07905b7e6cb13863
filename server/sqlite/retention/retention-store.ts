import type { SessionLimits } from '../../../core/domain/session.ts'
import type {
  PrunedPiece,
  PrunePlace,
  RetentionRule,
  RetentionStore,
} from '../../../core/ports/retention-store.ts'
import type { SqliteCaseFileStore } from '../cases/case-file-store.ts'
import type { SqliteDestructiveUseStore } from '../checkpoints/destructive-uses.ts'
import type { SqliteRates } from '../limits/rates.ts'
import { clearAbandonedStates, clearExpiredEntries } from '../playbooks/state-rows.ts'
import { pruneAlerts } from './prune-alerts.ts'
import { pruneFiles } from './prune-files.ts'
import { pruneRuns } from './prune-runs.ts'
import { PruneTally } from './prune-tally.ts'
import { deleteExpired, expiringTables } from '../context/rows.ts'
import { forgetInvitations } from '../access/invitation-store.ts'
import { forgetOldSessions } from '../access/session-store.ts'
import { entityBounds } from '../../../core/trigger/trigger-schema.ts'
import { clearHours } from '../numbers/count-rows.ts'
import { SqliteStore, type StoreContext } from '../context/store-context.ts'

/** Number of rows of a table that one write deletes. */
const clearedAtOnce = 500

const pruneRunsAndStates: typeof pruneRuns = (database, endedBy, from, now, tally) => {
  if (from === undefined) clearAbandonedStates(database, endedBy, clearedAtOnce)
  return pruneRuns(database, endedBy, from, now, tally)
}

/** Stores that delete their own expired rows. */
interface Parts {
  readonly destructiveUses: SqliteDestructiveUseStore
  readonly rates: SqliteRates
  readonly files: SqliteCaseFileStore
}

export class SqliteRetentionStore extends SqliteStore implements RetentionStore {
  readonly #parts: Parts

  constructor(context: StoreContext, parts: Parts) {
    super(context)
    this.#parts = parts
  }

  clearExpired(sessions: SessionLimits): Promise<boolean> {
    return this.commits.write(() => {
      const now = this.clock.now()
      const { requests, alertRequests, inboundCalls, groups, correlationKeys } = expiringTables
      const cleared = [requests, alertRequests, inboundCalls, groups, correlationKeys].map((rows) =>
        deleteExpired(this.database, rows, now, clearedAtOnce),
      )
      const counted = [expiringTables.sightings, expiringTables.firings].map((rows) =>
        deleteExpired(this.database, rows, now - entityBounds.maxWithinMs, clearedAtOnce),
      )
      cleared.push(...counted, forgetOldSessions(this.database, sessions, now, clearedAtOnce))
      cleared.push(forgetInvitations(this.database, now, clearedAtOnce))
      const { destructiveUses, rates, files } = this.#parts
      cleared.push(destructiveUses.clearAway(clearedAtOnce), rates.clearAway(clearedAtOnce))
      cleared.push(clearExpiredEntries(this.database, now, clearedAtOnce))
      clearHours(this.database, now)
      return files.clearAway() || cleared.includes(clearedAtOnce)
    })
  }

  pruneRuns(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece> {
    return this.#prune(pruneRunsAndStates, rule, from)
  }

  pruneAlerts(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece> {
    return this.#prune(pruneAlerts, rule, from)
  }

  pruneFiles(rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece> {
    return this.#prune(pruneFiles, rule, from)
  }

  #prune(work: typeof pruneRuns, rule: RetentionRule, from: PrunePlace | undefined): Promise<PrunedPiece> {
    return this.commits.write(() => {
      const tally = new PruneTally()
      const next = work(this.database, rule.before, from, this.clock.now(), tally)
      tally.record(this.context, rule)
      return { ...tally.all, next }
    })
  }
}
