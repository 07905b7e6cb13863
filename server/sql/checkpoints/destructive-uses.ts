import type { Work } from '../database/work.ts'
import { higherSeverity } from '../../../core/destructive/approval-rules.ts'
import { heldUses, limitOf } from '../../../core/destructive/policy.ts'
import {
  type ApprovalRule,
  destructiveWindowMs,
  type DestructiveUses,
  type HeldUses,
  type OwnDestructiveLimits,
} from '../../../core/domain/destructive-use.ts'
import type { DestructiveClass, Severity } from '../../../core/plugin/index.ts'
import type { DestructiveUseStore, UseChecks } from '../../../core/ports/runs/destructive-use-store.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import { isInScope } from '../../../core/common/scope.ts'
import { openQuestion } from '../../../core/transitions/question.ts'
import { fromJson } from '../database/columns.ts'
import { deleteExpired, expiringTables } from '../context/rows.ts'
import { WindowClock } from '../limits/window-clock.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'

/** Expired uses that each new one deletes: more than one, so that they cannot pile up. */
const clearedAtOnce = 20

interface Uses {
  readonly run: number
  /** Paths of their steps. */
  readonly paths: readonly string[]
  readonly skill: string
  readonly class: DestructiveClass
}

interface RunFacts {
  readonly organization: number
  /** JSON; null: none. */
  readonly limits: string | null
  readonly rules: string | null
  readonly playbook: string
  readonly alertSeverity: Severity | null
  readonly caseSeverity: Severity | null
}

/** The hourly window of the limits. */
export class SqlDestructiveUseStore extends SqlStore implements DestructiveUseStore {
  readonly #clock: WindowClock

  constructor(context: StoreContext) {
    super(context)
    this.#clock = new WindowClock(context.clock, () => this.#newest())
  }

  /** Inside of the write of an intent: counts each use once, or gives why the uses are held. */
  *take({ run, paths, skill, class: kind }: Uses, checks: UseChecks | undefined): Work<HeldUses | undefined> {
    const now = yield* this.#clock.now()
    const about = yield* this.#about(run)
    const all = JSON.stringify(paths)
    const { counted } = yield* this.database.one<{ counted: number }>(
      'SELECT count(*) AS counted FROM destructive_uses WHERE run_id = ? AND path IN (SELECT value FROM json_each(?))',
      run,
      all,
    )
    const wanted = paths.length - counted
    if (checks !== undefined && wanted > 0) {
      const { uses } = yield* this.database.one<{ uses: number }>(
        'SELECT count(*) AS uses FROM destructive_uses WHERE organization_id = ? AND class = ? AND used_at > ?',
        about.organization,
        kind,
        now - destructiveWindowMs,
      )
      const { limits, rules = [], isRestApproved = false, implements: interfaces = [] } = checks
      const own = about.limits === null ? undefined : fromJson<OwnDestructiveLimits>(about.limits)
      const ownRules = about.rules === null ? [] : fromJson<readonly ApprovalRule[]>(about.rules)
      const severity = higherSeverity(about.alertSeverity, about.caseSeverity)
      const use = { class: kind, skill, implements: interfaces, playbook: about.playbook, severity }
      const policy = { rules: [...ownRules, ...rules], limit: limitOf(limits, own, kind), isRestApproved }
      const held = heldUses(use, { uses, wanted }, policy)
      if (held !== undefined) return held
    }
    yield* this.database.run(
      `INSERT INTO destructive_uses (run_id, path, organization_id, skill, class, used_at)
       SELECT ?, value, ?, ?, ?, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
      run,
      about.organization,
      skill,
      kind,
      now,
      all,
    )
    yield* this.database.run(
      `DELETE FROM destructive_uses WHERE (run_id, path) IN (SELECT run_id, path FROM destructive_uses
         WHERE organization_id = ? AND class = ? AND used_at <= ? ORDER BY used_at LIMIT ?)`,
      about.organization,
      kind,
      now - 2 * destructiveWindowMs,
      clearedAtOnce,
    )
    return undefined
  }

  /** What limits and rules look at. */
  *#about(run: number): Work<RunFacts> {
    return yield* this.database.one<RunFacts>(
      `SELECT o.id AS organization, o.destructive_limits AS limits, o.approval_rules AS rules, r.playbook_name AS playbook,
         a.severity AS "alertSeverity", c.severity AS "caseSeverity"
       FROM runs r JOIN organizations o ON o.id = r.organization_id
         LEFT JOIN alerts a ON a.id = r.alert_id LEFT JOIN cases c ON c.id = r.case_id
       WHERE r.id = ?`,
      run,
    )
  }

  /** Inside of a write: the use is known to have changed nothing. */
  *takeBack(run: number, path: string): Work<void> {
    yield* this.database.run('DELETE FROM destructive_uses WHERE run_id = ? AND path = ?', run, path)
  }

  /** Inside of a write: releases reserved uses that have not begun. */
  *release(run: number, paths: readonly string[]): Work<void> {
    yield* this.database.run(
      `DELETE FROM destructive_uses WHERE run_id = ? AND path IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.run_id = destructive_uses.run_id AND j.path = destructive_uses.path)`,
      run,
      JSON.stringify(paths),
    )
  }

  /** Inside of a write: deletes expired uses of all skills, at most `atMost`. Gives their number. */
  *clearAway(atMost: number): Work<number> {
    return yield* deleteExpired(
      this.database,
      expiringTables.destructiveUses,
      (yield* this.#clock.now()) - 2 * destructiveWindowMs,
      atMost,
    )
  }

  list(scope: OrganizationScope): Promise<readonly DestructiveUses[]> {
    return this.read(function* () {
      const rows = yield* this.database.all<DestructiveUses>(
        `SELECT o.uuid AS "organizationUuid", class, sum(uses) AS uses, sum(held) AS held FROM (
           SELECT organization_id, class, 1 AS uses, 0 AS held FROM destructive_uses WHERE used_at > ?
           UNION ALL SELECT organization_id, question ->> '$.input.class', 0, CAST(question ->> '$.input.count' AS bigint) FROM checkpoints
             WHERE state = ? AND instr(path, '/@approval') > 0
         ) AS counted JOIN organizations o ON o.id = organization_id GROUP BY o.id, class ORDER BY lower(o.code), class`,
        (yield* this.#clock.now()) - destructiveWindowMs,
        openQuestion,
      )
      return rows.filter(({ organizationUuid }) => isInScope(scope, organizationUuid))
    })
  }

  *#newest(): Work<number> {
    const { newest } = yield* this.database.one<{ newest: number }>(
      'SELECT coalesce(max(used_at), 0) AS newest FROM destructive_uses',
    )
    return newest
  }
}
