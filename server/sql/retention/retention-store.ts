import type { SessionLimits } from '../../../core/domain/session.ts'
import type {
  PrunedPiece,
  PrunePlace,
  RetentionRule,
  RetentionStore,
} from '../../../core/ports/retention-store.ts'
import type { SqlCaseFileStore } from '../cases/case-file-store.ts'
import type { SqlDestructiveUseStore } from '../checkpoints/destructive-uses.ts'
import type { SqlRates } from '../limits/rates.ts'
import { clearAbandonedStates, clearExpiredEntries } from '../playbooks/state-rows.ts'
import { pruneAlerts } from './prune-alerts.ts'
import { pruneFiles } from './prune-files.ts'
import { pruneRuns } from './prune-runs.ts'
import { PruneTally } from './prune-tally.ts'
import { deleteExpired, expiringTables } from '../context/rows.ts'
import { clearNotifications } from '../notifications/note-notifications.ts'
import { forgetInvitations } from '../access/invitation-store.ts'
import { forgetOldSessions } from '../access/session-store.ts'
import { entityBounds } from '../../../core/trigger/trigger-schema.ts'
import { clearHours } from '../numbers/count-rows.ts'
import { eachInTurn } from '../database/work.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'

/** Number of rows of a table that one write deletes. */
const clearedAtOnce = 500

const pruneRunsAndStates: typeof pruneRuns = function* (database, endedBy, from, now, tally) {
  if (from === undefined) yield* clearAbandonedStates(database, endedBy, clearedAtOnce)
  return yield* pruneRuns(database, endedBy, from, now, tally)
}

/** Stores that delete their own expired rows. */
interface Parts {
  readonly destructiveUses: SqlDestructiveUseStore
  readonly rates: SqlRates
  readonly files: SqlCaseFileStore
}

export class SqlRetentionStore extends SqlStore implements RetentionStore {
  readonly #parts: Parts

  constructor(context: StoreContext, parts: Parts) {
    super(context)
    this.#parts = parts
  }

  clearExpired(sessions: SessionLimits): Promise<boolean> {
    return this.write(function* () {
      const now = this.clock.now()
      const { requests, alertRequests, inboundCalls, groups, correlationKeys } = expiringTables
      const cleared = yield* eachInTurn(
        [requests, alertRequests, inboundCalls, groups, correlationKeys],
        (rows) => deleteExpired(this.database, rows, now, clearedAtOnce),
      )
      const counted = yield* eachInTurn([expiringTables.sightings, expiringTables.firings], (rows) =>
        deleteExpired(this.database, rows, now - entityBounds.maxWithinMs, clearedAtOnce),
      )
      cleared.push(...counted, yield* forgetOldSessions(this.database, sessions, now, clearedAtOnce))
      cleared.push(yield* forgetInvitations(this.database, now, clearedAtOnce))
      const { destructiveUses, rates, files } = this.#parts
      cleared.push(yield* destructiveUses.clearAway(clearedAtOnce), yield* rates.clearAway(clearedAtOnce))
      cleared.push(yield* clearExpiredEntries(this.database, now, clearedAtOnce))
      cleared.push(yield* clearNotifications(this.database, now, clearedAtOnce))
      yield* clearHours(this.database, now)
      return (yield* files.clearAway()) || cleared.includes(clearedAtOnce)
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
    return this.write(function* () {
      const tally = new PruneTally()
      const next = yield* work(this.database, rule.before, from, this.clock.now(), tally)
      yield* tally.record(this.context, rule)
      return { ...tally.all, next }
    })
  }
}
