import { mayMove, alertStatusNames, type Alert, type AlertStatus } from '../../core/domain/alert.ts'
import { composeAlertId, composeCaseId } from '../../core/domain/ids.ts'
import { ConflictError } from '../../core/errors/errors.ts'
import { fromContent } from './columns.ts'
import type { Database } from './database.ts'
import { parseAlertId, parseUuid } from './ids.ts'

export interface AlertRow extends Omit<Alert, 'id' | 'content' | 'createdAtSource' | 'caseId'> {
  readonly id: number
  readonly sequence: number
  readonly content: string | Buffer
  /** Decimal: an int64 does not fit a JavaScript number. */
  readonly createdAtSource: string | null
  readonly caseRow: number | null
  readonly caseNumber: number | null
}

export const selectAlert = `
  SELECT t.id, t.uuid, t.sequence, t.type, CAST(t.created_at_source AS TEXT) AS createdAtSource,
    t.created_by AS createdBy, t.created_at AS createdAt, t.modified_at AS modifiedAt, t.status,
    t.retry_count AS retryCount, t.investigator, t.completed_at AS completedAt, t.case_id AS caseRow,
    o.uuid AS organizationUuid, o.code AS organizationCode, p.code AS provider, c.number AS caseNumber, b.content
  FROM alerts t
    CROSS JOIN organizations o ON o.id = t.organization_id
    CROSS JOIN providers p ON p.id = t.provider_id
    CROSS JOIN alert_contents b ON b.alert_id = t.id
    LEFT JOIN cases c ON c.id = t.case_id`

export function toAlert(row: AlertRow): Alert {
  const { id: _, sequence, content, createdAtSource, caseRow: __, caseNumber, ...rest } = row
  return {
    ...rest,
    id: composeAlertId(row.organizationCode, row.provider, sequence),
    content: fromContent(content),
    createdAtSource: createdAtSource === null ? null : BigInt(createdAtSource),
    caseId: caseNumber === null ? null : composeCaseId(row.organizationCode, caseNumber),
  }
}

/** By uuid or by id, ignoring case. */
export function findAlertRow(database: Database, idOrUuid: string): AlertRow | undefined {
  const uuid = parseUuid(idOrUuid)
  if (uuid !== undefined) return database.get<AlertRow>(`${selectAlert} WHERE t.uuid = ?`, uuid)
  const id = parseAlertId(idOrUuid)
  if (id === undefined) return undefined
  return database.get<AlertRow>(
    `${selectAlert} WHERE t.organization_id = (SELECT id FROM organizations WHERE code = ?)
       AND t.provider_id = (SELECT id FROM providers WHERE code = ?) AND t.sequence = ?`,
    id.organization,
    id.provider,
    id.sequence,
  )
}

/** What a run needs to know of its alert; without the content, which may be large. */
export interface AlertState {
  readonly id: number
  readonly sequence: number
  readonly status: AlertStatus
  readonly organizationId: number
  readonly providerCode: string
  readonly caseRow: number | null
}

const selectState = `
  SELECT t.id, t.sequence, t.status, t.organization_id AS organizationId, t.case_id AS caseRow, p.code AS providerCode
  FROM alerts t JOIN providers p ON p.id = t.provider_id`

export function findAlertState(database: Database, uuid: string): AlertState | undefined {
  return database.get<AlertState>(`${selectState} WHERE t.uuid = ?`, uuid)
}

export function alertStateOf(database: Database, row: number): AlertState {
  return database.one<AlertState>(`${selectState} WHERE t.id = ?`, row)
}

/** Throws ConflictError `alert_move_forbidden` for a move that the table of moves does not have. */
export function requireMove(alert: AlertState, to: AlertStatus): void {
  if (mayMove(alert.status, to)) return
  const [from, goal] = [alertStatusNames[alert.status], alertStatusNames[to]]
  throw new ConflictError('alert_move_forbidden', `the alert is ${from}, and cannot become ${goal}`, {
    hint: 'Wait until its investigation has ended.',
    details: { from: alert.status, to },
  })
}
