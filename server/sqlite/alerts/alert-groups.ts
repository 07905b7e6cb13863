import { alertStatus } from '../../../core/domain/alert.ts'
import { theServer } from '../../../core/domain/audit.ts'
import type { AlertGroup, NewGroup } from '../../../core/domain/alert-group.ts'
import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import type { NewRun } from '../../../core/domain/run.ts'
import type { QueuedOrGrouped } from '../../../core/ports/runs/run-store.ts'
import type { Scope } from '../../../core/ports/common.ts'
import { alertStateOf, findAlertState, requireMove, type AlertState } from './alert-rows.ts'
import { insertEntry } from '../cases/case-entries.ts'
import { insertCase } from '../cases/case-rows.ts'
import type { Database } from '../database/database.ts'
import { requireOrganization, type OrganizationKey } from '../access/organization-store.ts'
import { whereAll } from '../database/paging.ts'
import { queueRun } from '../runs/run-moves.ts'
import { scopeConditions } from '../context/scope.ts'
import type { StoreContext } from '../context/store-context.ts'

interface GroupRow {
  readonly id: number
  readonly alertRow: number
  readonly size: number
}

/** Whom the timeline names. */
const grouping = { ...theServer, name: 'grouping of repeats' }
/** Groups that are over which a new one clears away: more than one, so that they cannot pile up. */
const clearedAtOnce = 20

/** Inside of a write. */
export function queueOrGroup(
  context: StoreContext,
  given: NewRun & { readonly alertUuid: string },
  group: NewGroup,
): QueuedOrGrouped {
  const { database, clock } = context
  const organization = requireOrganization(database, given.organizationUuid)
  const now = clock.now()
  const open = findOpen(database, organization, group, now)
  if (open === undefined) {
    const run = queueRun(context, given)
    const alert = findAlertState(database, given.alertUuid)
    if (alert !== undefined) begin(database, organization, group, alert, now)
    return { run }
  }
  const first = alertStateOf(database, open.alertRow)
  if (first.status !== alertStatus.failed) return join(database, organization, group, open, first, given, now)
  const run = queueRun(context, given)
  const alert = findAlertState(database, given.alertUuid)
  if (alert !== undefined) takeOver(database, organization, group, open, first, alert, now)
  return { run }
}

/** Undefined also where the clock was set back behind its beginning: it might last for long, and hide what is no repeat. */
function findOpen(
  database: Database,
  organization: OrganizationKey,
  { fingerprint }: NewGroup,
  now: number,
): GroupRow | undefined {
  return database.get<GroupRow>(
    `SELECT g.id, g.alert_id AS alertRow, g.size FROM alert_groups g JOIN alerts a ON a.id = g.alert_id
       LEFT JOIN cases c ON c.id = a.case_id
     WHERE g.organization_id = ? AND g.fingerprint = ? AND g.begins_at <= ? AND g.ends_at > ?
       AND c.status IS NOT 'closed'`,
    organization.id,
    fingerprint,
    now,
    now,
  )
}

function begin(
  database: Database,
  organization: OrganizationKey,
  { fingerprint, windowMs }: NewGroup,
  alert: AlertState,
  now: number,
): void {
  database.run(
    'DELETE FROM alert_groups WHERE id IN (SELECT id FROM alert_groups WHERE ends_at <= ? ORDER BY ends_at LIMIT ?)',
    now,
    clearedAtOnce,
  )
  database.run(
    `INSERT OR REPLACE INTO alert_groups (organization_id, fingerprint, alert_id, size, begins_at, ends_at, last_at)
     VALUES (?, ?, ?, 1, ?, ?, ?)`,
    organization.id,
    fingerprint,
    alert.id,
    now,
    now + windowMs,
    now,
  )
}

function join(
  database: Database,
  organization: OrganizationKey,
  group: NewGroup,
  open: GroupRow,
  first: AlertState,
  given: NewRun & { readonly alertUuid: string },
  now: number,
): QueuedOrGrouped {
  const alert = findAlertState(database, given.alertUuid)
  if (alert === undefined) throw new Error(`the alert ${given.alertUuid} is gone`)
  requireMove(alert, alertStatus.submitted)
  const isOver = first.status === alertStatus.completed
  const caseRow = first.caseRow ?? openCase(database, organization, group, first, now)
  database.run(
    `UPDATE alerts SET status = ?, investigator = ?, case_id = ?, completed_at = ?, modified_at = ?, group_sequence = ?,
       group_reason = ?, follows = ? WHERE id = ?`,
    isOver ? alertStatus.completed : alertStatus.submitted,
    first.investigator,
    caseRow,
    isOver ? now : null,
    now,
    first.sequence,
    group.reason,
    isOver ? null : first.id,
    alert.id,
  )
  const groupedWith = idOf(organization, first)
  note(database, organization, group, open, caseRow, alert, groupedWith, now)
  return { groupedWith, isOver }
}

/** The first one's run opens it when it begins; here it is needed before. */
function openCase(
  database: Database,
  organization: OrganizationKey,
  { caseTitle }: NewGroup,
  first: AlertState,
  now: number,
): number {
  const title = caseTitle(idOf(organization, first))
  const { row } = insertCase(database, organization, { title }, grouping, now)
  database.run('UPDATE alerts SET case_id = ? WHERE id = ?', row, first.id)
  return row
}

function takeOver(
  database: Database,
  organization: OrganizationKey,
  group: NewGroup,
  open: GroupRow,
  first: AlertState,
  alert: AlertState,
  now: number,
): void {
  database.run(
    'UPDATE alerts SET case_id = ?, group_sequence = ?, group_reason = ? WHERE id = ?',
    first.caseRow,
    first.sequence,
    group.reason,
    alert.id,
  )
  database.run('UPDATE alert_groups SET alert_id = ? WHERE id = ?', alert.id, open.id)
  if (first.caseRow === null) return
  const why = `${idOf(organization, first)} (whose investigation failed)`
  note(database, organization, group, open, first.caseRow, alert, why, now)
}

/** The first ten repeats are named in the timeline, then the hundredth, the thousandth and so on. */
function note(
  database: Database,
  organization: OrganizationKey,
  { reason }: NewGroup,
  open: GroupRow,
  caseRow: number,
  alert: AlertState,
  groupedWith: string,
  now: number,
): void {
  const size = open.size + 1
  database.run('UPDATE alert_groups SET size = ?, last_at = ? WHERE id = ?', size, now, open.id)
  const repeats = size - 1
  if (repeats > 10 && !/^10+$/.test(String(repeats))) return
  const count = repeats > 1 ? ` ${repeats} repeats so far.` : ''
  const text = `Alert ${idOf(organization, alert)} was grouped with ${groupedWith} because ${reason}.${count}`
  insertEntry(database, caseRow, { at: now, by: grouping, kind: 'alert', text, changes: null })
}

const idOf = ({ code }: OrganizationKey, { providerCode, sequence }: AlertState): string =>
  composeAlertId(code, providerCode, sequence)

type ListedGroupRow = Omit<AlertGroup, 'alertId' | 'caseId'> & {
  readonly code: string
  readonly provider: string
  readonly sequence: number
  readonly caseNumber: number | null
}

export function listGroups(
  database: Database,
  scope: Scope,
  now: number,
  limit: number,
): readonly AlertGroup[] {
  const conditions = scopeConditions(scope, 'g.organization_id')
  const rows = database.all<ListedGroupRow>(
    `SELECT o.uuid AS organizationUuid, o.code, p.code AS provider, a.sequence, c.number AS caseNumber, g.size,
       g.begins_at AS beginsAt, g.ends_at AS endsAt, g.last_at AS lastAt
     FROM alert_groups g CROSS JOIN alerts a ON a.id = g.alert_id CROSS JOIN organizations o ON o.id = g.organization_id
       CROSS JOIN providers p ON p.id = a.provider_id LEFT JOIN cases c ON c.id = a.case_id
     ${whereAll([{ sql: 'g.size > 1 AND g.ends_at > ?', values: [] }, ...conditions])} ORDER BY g.size DESC, g.id LIMIT ?`,
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
