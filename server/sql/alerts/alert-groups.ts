import type { Work } from '../database/work.ts'
import type { AlertGroup, GroupOfAlert, NewGroup } from '../../../core/domain/alert-group.ts'
import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import type { Alert } from '../../../core/domain/alert.ts'
import type { NewRun, Run } from '../../../core/domain/run.ts'
import type { FirstRun } from '../../../core/ports/alert-store.ts'
import type { OrganizationScope } from '../../../core/ports/common.ts'
import type { NewRunCase, QueuedOrGrouped } from '../../../core/ports/runs/run-store.ts'
import { joinAlert } from '../../../core/transitions/alert.ts'
import {
  groupingActor,
  groupingOf,
  newGroup,
  repeatEntry,
  type GroupState,
} from '../../../core/transitions/grouping.ts'
import { alertStateOf, changeAlert, requireAlertState, type AlertStateRow } from './alert-rows.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { insertCase } from '../cases/case-rows.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization, type OrganizationKey } from '../access/organization-store.ts'
import { whereAll } from '../database/paging.ts'
import { countAsRepeat } from '../numbers/count-rows.ts'
import { queueRun } from '../runs/queue-run.ts'
import { scopeConditions } from '../context/scope.ts'
import { expiringTables, makeRoom, updateRows, type FieldValues } from '../context/rows.ts'
import type { StoreContext } from '../context/store-context.ts'

interface GroupRow extends GroupState {
  readonly organization: number
  readonly fingerprint: Uint8Array
  readonly firstRow: number
  readonly size: number
}

const selectGroup = `
  SELECT g.organization_id AS organization, g.fingerprint, g.alert_id AS "firstRow", g.size, g.begins_at AS "beginsAt", g.ends_at AS "endsAt", a.status AS "firstStatus",
    c.status AS "caseStatus"
  FROM alert_groups g JOIN alerts a ON a.id = g.alert_id LEFT JOIN cases c ON c.id = a.case_id
  WHERE g.organization_id = ? AND g.fingerprint = ?`

/** Inside of a write. */
export function* queueOrGroup(
  context: StoreContext,
  given: NewRun & { readonly alertUuid: string },
  group: NewGroup,
  begin?: NewRunCase,
): Work<QueuedOrGrouped> {
  const { database, clock } = context
  const now = clock.now()
  const organization = yield* requireOrganization(database, given.organizationUuid)
  const alert = yield* requireAlertState(database, organization.id, given.alertUuid)
  const open = yield* findGroup(database, organization.id, group)
  const grouping = groupingOf(open, now)
  if (open !== undefined && grouping === 'join')
    return yield* join(database, organization, group, open, alert, now)
  if (open !== undefined && grouping === 'take_over') {
    const { caseRow } = yield* alertStateOf(database, open.firstRow)
    const run = yield* queueRun(context, given, { alert: { ...alert, caseRow } })
    yield* takeOver(database, group, open, alert, now)
    return { run }
  }
  const run = yield* queueRun(context, given, { alert, begin })
  yield* beginGroup(database, organization.id, group, alert, now)
  return { run }
}

export const findGroup = (
  database: Database,
  organizationRow: number,
  { fingerprint }: GroupOfAlert,
): Work<GroupRow | undefined> => database.get<GroupRow>(selectGroup, organizationRow, fingerprint)

/**
 * Inside of the write that stores the alert. Undefined: it may be a repeat, and no run is queued.
 *
 * @param open of `group`, from `findGroup`
 */
export function* queueFirst(
  context: StoreContext,
  { run, begin }: FirstRun,
  alert: AlertStateRow & Pick<Alert, 'uuid'>,
  group: GroupOfAlert | undefined,
  open: GroupRow | undefined,
): Work<Run | undefined> {
  const { database, clock } = context
  const now = clock.now()
  if (group !== undefined) {
    if (groupingOf(open, now) !== 'begin') return undefined
    yield* beginGroup(database, alert.organizationRow, group, alert, now)
  }
  return yield* queueRun(context, { ...run, alertUuid: alert.uuid }, { alert, begin })
}

function* beginGroup(
  database: Database,
  organizationRow: number,
  group: GroupOfAlert,
  alert: AlertStateRow,
  now: number,
): Work<void> {
  yield* makeRoom(database, expiringTables.groups, now)
  const { size, beginsAt, endsAt, lastAt } = newGroup(group, now)
  yield* database.send(
    `INSERT INTO alert_groups (organization_id, fingerprint, alert_id, size, begins_at, ends_at, last_at, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization_id, fingerprint) DO UPDATE SET alert_id = excluded.alert_id, size = excluded.size,
     begins_at = excluded.begins_at, ends_at = excluded.ends_at, last_at = excluded.last_at, reason = excluded.reason`,
    organizationRow,
    group.fingerprint,
    alert.row,
    size,
    beginsAt,
    endsAt,
    lastAt,
    group.reason,
  )
}

function* join(
  database: Database,
  organization: OrganizationKey,
  group: NewGroup,
  open: GroupRow,
  alert: AlertStateRow,
  now: number,
): Work<QueuedOrGrouped> {
  const first = yield* alertStateOf(database, open.firstRow)
  const { isOver, changes } = joinAlert(alert, first, group.reason, now)
  const caseRow = first.caseRow ?? (yield* openCase(database, organization, group, first, now))
  const follows = isOver ? null : first.row
  yield* changeAlert(database, alert.row, { ...changes, caseRow, groupSequence: first.sequence, follows })
  if (alert.isListed === 1) yield* countAsRepeat(database, alert.row)
  yield* addRepeat(database, group, open, { alert, first, caseRow }, now)
  return { groupedWith: first.id, isOver }
}

/** Usually the run of the first alert opens the case when it starts; a repeat may need it earlier. */
function* openCase(
  database: Database,
  organization: OrganizationKey,
  { caseTitle }: NewGroup,
  first: AlertStateRow,
  now: number,
): Work<number> {
  const { row } = yield* insertCase(
    database,
    organization,
    { title: caseTitle(first.id) },
    groupingActor,
    now,
  )
  yield* changeAlert(database, first.row, { caseRow: row })
  return row
}

function* takeOver(
  database: Database,
  group: NewGroup,
  open: GroupRow,
  alert: AlertStateRow,
  now: number,
): Work<void> {
  const first = yield* alertStateOf(database, open.firstRow)
  const { caseRow, sequence: groupSequence } = first
  yield* changeAlert(database, alert.row, {
    caseRow: caseRow ?? undefined,
    groupSequence,
    groupedBecause: group.reason,
  })
  if (alert.isListed === 1) yield* countAsRepeat(database, alert.row)
  yield* updateGroup(database, open, { alertId: alert.row })
  if (caseRow !== null) yield* addRepeat(database, group, open, { alert, first, caseRow }, now)
}

function* updateGroup(
  database: Database,
  { organization, fingerprint }: GroupRow,
  values: FieldValues,
): Work<void> {
  const where = { sql: 'organization_id = ? AND fingerprint = ?', values: [organization, fingerprint] }
  yield* updateRows(database, 'alert_groups', values, where)
}

function* addRepeat(
  database: Database,
  { reason }: NewGroup,
  open: GroupRow,
  { alert, first, caseRow }: { alert: AlertStateRow; first: AlertStateRow; caseRow: number },
  now: number,
): Work<void> {
  const size = open.size + 1
  yield* updateGroup(database, open, { size, lastAt: now })
  const entry = repeatEntry({ alertId: alert.id, size, reason }, first, now)
  if (entry !== undefined) yield* insertEntry(database, caseRow, entry)
}

type ListedGroupRow = Omit<AlertGroup, 'alertId' | 'caseId'> & {
  readonly code: string
  readonly provider: string
  readonly sequence: number
  readonly caseNumber: number | null
}

export function* listGroups(
  database: Database,
  scope: OrganizationScope,
  now: number,
  limit: number,
): Work<readonly AlertGroup[]> {
  const conditions = scopeConditions(scope, 'g.organization_id')
  const rows = yield* database.all<ListedGroupRow>(
    `SELECT o.uuid AS "organizationUuid", o.code, p.code AS provider, a.sequence, a.type, c.number AS "caseNumber", g.reason, g.size,
       g.begins_at AS "beginsAt", g.ends_at AS "endsAt", g.last_at AS "lastAt"
     FROM alert_groups g CROSS JOIN alerts a ON a.id = g.alert_id CROSS JOIN organizations o ON o.id = g.organization_id
       CROSS JOIN providers p ON p.id = a.provider_id LEFT JOIN cases c ON c.id = a.case_id
     ${whereAll([{ sql: 'g.size > 1 AND g.ends_at > ?', values: [] }, ...conditions])} ORDER BY g.size DESC, g.alert_id LIMIT ?`,
    now,
    ...conditions.flatMap(({ values }) => values),
    limit,
  )
  return rows.map(({ code, provider, sequence, caseNumber, ...group }) => ({
    ...group,
    alertId: composeAlertId(code, provider, sequence),
    caseId: caseNumber === null ? null : composeCaseId(code, caseNumber),
  }))
}
