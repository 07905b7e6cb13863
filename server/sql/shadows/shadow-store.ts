import { eachTogether, type Work } from '../database/work.ts'
import type {
  JudgedShadow,
  QueuedShadow,
  ShadowCase,
  ShadowResult,
  ShadowSummary,
} from '../../../core/shadow/shadow-result.ts'
import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../../../core/ports/common.ts'
import type { ShadowFilter, ShadowStore } from '../../../core/ports/runs/shadow-store.ts'
import type { WatchedShadow } from '../../../core/shadow/shadow-rules.ts'
import { findAlertRow } from '../alerts/alert-rows.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore } from '../context/store-context.ts'
import { fromJson, toJson } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { filterBy, listPage, type Condition, type ListQuery } from '../database/paging.ts'

interface WaitingRow {
  readonly id: number
  readonly organizationUuid: string
  readonly organizationCode: string
  readonly playbookName: string
  readonly runUuid: string
  readonly queuedAt: number
  readonly sequence: number
  readonly provider: string
}

interface ResultRow extends WaitingRow {
  readonly playbookHash: string | null
  readonly liveName: string
  readonly liveHash: string
  readonly judgedAt: number | null
  readonly outcome: ShadowResult['outcome']
  readonly summary: string | null
  readonly detail: string | null
  readonly caseNumber: number | null
  readonly verdict: ShadowCase['verdict']
  readonly severity: ShadowCase['severity']
  readonly decided: string | null
  readonly caseRow: number | null
  readonly isClosed: 0 | 1
}

const alertColumns = `t.id, o.uuid AS "organizationUuid", o.code AS "organizationCode", t.playbook_name AS "playbookName",
  r.uuid AS "runUuid", t.queued_at AS "queuedAt", a.sequence, p.code AS provider`
const joins = `JOIN organizations o ON o.id = t.organization_id JOIN runs r ON r.id = t.run_id
  JOIN alerts a ON a.id = t.alert_id JOIN providers p ON p.id = a.provider_id`

/** Of each organization in turn. */
const selectWaiting = `
  SELECT ${alertColumns} FROM (
    SELECT *, row_number() OVER (PARTITION BY organization_id ORDER BY queued_at, id) AS place
    FROM shadow_results WHERE judged_at IS NULL) t
  ${joins} ORDER BY t.place, t.queued_at, t.id LIMIT ?`

const selectClosedByPerson = `SELECT EXISTS (SELECT 1 FROM case_entries WHERE case_id = ? AND kind = 'changed'
  AND author_kind NOT IN ('run', 'server') AND changes ->> '$.status' = 'closed') AS found`

const select = (detail: 't.detail' | 'NULL') => `
  SELECT ${alertColumns}, t.playbook_hash AS "playbookHash", r.playbook_name AS "liveName", r.playbook_hash AS "liveHash",
    t.judged_at AS "judgedAt", t.outcome, t.summary, ${detail} AS detail, c.number AS "caseNumber", c.verdict, c.severity, c.decided,
    c.id AS "caseRow", c.status = 'closed' AS "isClosed"
  FROM shadow_results t ${joins} LEFT JOIN cases c ON c.id = a.case_id`

export class SqlShadowStore extends SqlStore implements ShadowStore {
  watch(watched: readonly WatchedShadow[], onQueued: () => void): void {
    Object.assign(this.database.shadows, { watched, onQueued })
  }

  waiting(limit: number): Promise<readonly QueuedShadow[]> {
    // A write, so that it runs after the writes that queue alerts.
    return this.write(function* () {
      return (yield* this.database.all<WaitingRow>(selectWaiting, limit)).map(toQueued)
    })
  }

  countWaiting(scope: OrganizationScope, playbookName: string): Promise<number> {
    return this.read(function* () {
      const conditions = scopeConditions(scope, 't.organization_id')
      const where = conditions.map(({ sql }) => ` AND ${sql}`).join('')
      const { waiting } = yield* this.database.one<{ waiting: number }>(
        `SELECT count(*) AS waiting FROM shadow_results t WHERE t.playbook_name = ? AND t.judged_at IS NULL${where}`,
        playbookName,
        ...conditions.flatMap(({ values }) => values),
      )
      return waiting
    })
  }

  begin({ id, runUuid }: QueuedShadow): Promise<number | undefined> {
    return this.write(function* () {
      return (yield* this.database.get<{ attempts: number }>(
        `UPDATE shadow_results SET attempts = attempts + 1 WHERE ${isWaiting} RETURNING attempts`,
        id,
        runUuid,
      ))?.attempts
    })
  }

  finish({ id, runUuid }: QueuedShadow, judged: JudgedShadow): Promise<void> {
    return this.write(function* () {
      yield* this.database.run(
        `UPDATE shadow_results SET playbook_hash = ?, judged_at = ?, outcome = ?, summary = ?, detail = ? WHERE ${isWaiting}`,
        judged.playbookHash,
        this.clock.now(),
        judged.outcome,
        toJson(judged.summary),
        toJson(judged.detail),
        id,
        runUuid,
      )
    })
  }

  remove({ id, runUuid }: QueuedShadow): Promise<void> {
    return this.write(function* () {
      yield* this.database.run(`DELETE FROM shadow_results WHERE ${isWaiting}`, id, runUuid)
    })
  }

  list(scope: OrganizationScope, page: ListRequest, filter: ShadowFilter): Promise<ListPage<ShadowResult>> {
    return this.read(() => listPage(this.database, this.#query(scope, page, filter)))
  }

  newest(scope: OrganizationScope, filter: ShadowFilter, limit: number): Promise<readonly ShadowResult[]> {
    return this.read(function* () {
      const conditions = conditionsOf(scope, filter)
      const where = conditions.map((each) => each.sqlInOrder ?? each.sql).join(' AND ')
      const rows = yield* this.database.all<ResultRow>(
        `${select('NULL')} WHERE ${where} ORDER BY t.queued_at DESC, t.id DESC LIMIT ?`,
        ...conditions.flatMap(({ values }) => values),
        limit,
      )
      return yield* eachTogether(rows, resultReader(this.database))
    })
  }

  find(
    scope: OrganizationScope,
    playbookName: string,
    alertId: string,
  ): Promise<{ readonly result: ShadowResult; readonly detail: unknown } | undefined> {
    return this.read(function* () {
      const alert = yield* findAlertRow(this.database, alertId)
      if (alert === undefined) return undefined
      const conditions = [...conditionsOf(scope, { playbookName }), ...filterBy('t.alert_id = ?', alert.id)]
      const row = yield* this.database.get<ResultRow>(
        `${select('t.detail')} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
        ...conditions.flatMap(({ values }) => values),
      )
      return row && { result: yield* resultReader(this.database)(row), detail: fromJson(row.detail) }
    })
  }

  #query(
    scope: OrganizationScope,
    page: ListRequest,
    filter: ShadowFilter,
  ): ListQuery<ResultRow, ShadowResult> {
    return {
      name: 'shadow_results',
      table: 'shadow_results t',
      select: select('NULL'),
      conditions: conditionsOf(scope, filter),
      page,
      order: {
        descending: page.oldestFirst !== true,
        by: { column: 't.queued_at', valueOf: ({ queuedAt }) => queuedAt },
      },
      readItem: resultReader(this.database),
    }
  }
}

/** The alert may have been queued again meanwhile, for a later run. */
const isWaiting = 'id = ? AND judged_at IS NULL AND run_id = (SELECT id FROM runs WHERE uuid = ?)'

const conditionsOf = (
  scope: OrganizationScope,
  { playbookName, playbookHash, from, until, outcome }: ShadowFilter,
): readonly Condition[] => [
  { sql: 't.playbook_name = ?', values: [playbookName] },
  ...scopeConditions(scope, 't.organization_id'),
  ...filterBy('(t.playbook_hash IS NULL OR t.playbook_hash = ?)', playbookHash),
  ...filterBy('t.queued_at >= ?', from),
  ...filterBy('t.queued_at < ?', until),
  ...filterBy('t.outcome = ?', outcome),
]

function toQueued({
  id,
  organizationUuid,
  organizationCode,
  playbookName,
  runUuid,
  queuedAt,
  ...row
}: WaitingRow): QueuedShadow {
  const alertId = composeAlertId(organizationCode, row.provider, row.sequence)
  return { id, organizationUuid, playbookName, runUuid, alertId, queuedAt }
}

/** For the rows of one query. A case of many alerts has many entries, which are read once. */
function resultReader(database: Database): (row: ResultRow) => Work<ShadowResult> {
  const known = new Map<number, boolean>()
  const closedByPerson = function* (caseRow: number): Work<boolean> {
    const found =
      known.get(caseRow) ?? (yield* database.one<{ found: 0 | 1 }>(selectClosedByPerson, caseRow)).found === 1
    known.set(caseRow, found)
    return found
  }
  return function* (row) {
    return toResult(row, row.isClosed === 1 && row.caseRow !== null && (yield* closedByPerson(row.caseRow)))
  }
}

function toResult(row: ResultRow, closedByPerson: boolean): ShadowResult {
  const { organizationUuid, playbookName, alertId, runUuid, queuedAt } = toQueued(row)
  const { playbookHash, judgedAt, outcome, liveName, liveHash } = row
  return {
    organizationUuid,
    playbookName,
    playbookHash,
    alertId,
    runUuid,
    livePlaybook: { name: liveName, hash: liveHash },
    queuedAt,
    judgedAt,
    outcome,
    summary: fromJson<ShadowSummary>(row.summary),
    case: caseIn(row, closedByPerson),
  }
}

function caseIn(
  { organizationCode, caseNumber, verdict, severity, decided }: ResultRow,
  closedByPerson: boolean,
): ShadowCase | null {
  if (caseNumber === null) return null
  const id = composeCaseId(organizationCode, caseNumber)
  return { id, verdict, severity, decided: fromJson<readonly string[]>(decided) ?? [], closedByPerson }
}
