import {
  mayMove,
  alertStatusNames,
  type Alert,
  type AlertStatus,
  contentPreview,
} from '../../../core/domain/alert.ts'
import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { ListedAlert } from '../../../core/ports/alert-store.ts'
import type { Scope } from '../../../core/ports/common.ts'
import type { Database } from '../database/database.ts'
import { parseAlertId, parseUuid } from '../database/ids.ts'
import { isInScope } from '../context/scope.ts'

/** A row without its content, which may be large. */
export interface AlertRow extends Omit<
  Alert,
  'id' | 'content' | 'createdAtSource' | 'caseId' | 'groupedWith'
> {
  readonly id: number
  readonly sequence: number
  /** Decimal: an int64 does not fit a JavaScript number. */
  readonly createdAtSource: string | null
  readonly caseRow: number | null
  readonly caseNumber: number | null
  readonly groupSequence: number | null
}

/** One with the bytes of its content: to decide, before it is loaded, whether it fits. */
export interface SizedAlertRow extends AlertRow {
  readonly size: number
}

/** One with its preview where that is stored, else with its content, which is small. */
export interface PreviewedAlertRow extends AlertRow {
  readonly preview: string
}

const columns = `
  t.uuid, t.sequence, t.type, CAST(t.created_at_source AS TEXT) AS createdAtSource,
    t.created_by AS createdBy, t.created_at AS createdAt, t.modified_at AS modifiedAt, t.status,
    t.retry_count AS retryCount, t.investigator, t.completed_at AS completedAt, t.case_id AS caseRow,
    t.group_sequence AS groupSequence, t.group_reason AS groupedBecause,
    o.uuid AS organizationUuid, o.code AS organizationCode, p.code AS provider, c.number AS caseNumber`
const tables = `
  FROM alerts t
    CROSS JOIN organizations o ON o.id = t.organization_id
    CROSS JOIN providers p ON p.id = t.provider_id
    LEFT JOIN cases c ON c.id = t.case_id`

export const selectAlert = `SELECT t.id, ${columns} ${tables}`

/** SQLite knows the size without reading the content. */
export const selectSizedAlert = `
  SELECT t.id, (SELECT octet_length(content) FROM alert_contents WHERE alert_id = t.id) AS size, ${columns} ${tables}`

/** Contents of so many characters and more have their preview stored beside them. */
const previewedFrom = 4_000

/** What is stored as the preview of a content. */
export function storedPreview(content: string): string | null {
  return content.length < previewedFrom ? null : contentPreview(content)
}

export const selectPreviewedAlert = `
  SELECT t.id, ifnull(t.content_preview, (SELECT content FROM alert_contents WHERE alert_id = t.id)) AS preview, ${columns} ${tables}`

export function toPreviewedAlert(row: PreviewedAlertRow): ListedAlert {
  return { ...toListedAlert(row), contentPreview: contentPreview(row.preview) }
}

export function toListedAlert(row: AlertRow): ListedAlert {
  return {
    id: composeAlertId(row.organizationCode, row.provider, row.sequence),
    uuid: row.uuid,
    provider: row.provider,
    organizationUuid: row.organizationUuid,
    organizationCode: row.organizationCode,
    type: row.type,
    createdAtSource: row.createdAtSource === null ? null : BigInt(row.createdAtSource),
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    modifiedAt: row.modifiedAt,
    status: row.status,
    retryCount: row.retryCount,
    investigator: row.investigator,
    caseId: row.caseNumber === null ? null : composeCaseId(row.organizationCode, row.caseNumber),
    completedAt: row.completedAt,
    groupedWith:
      row.groupSequence === null
        ? null
        : composeAlertId(row.organizationCode, row.provider, row.groupSequence),
    groupedBecause: row.groupedBecause,
  }
}

/** With the content, which is loaded here. */
export function toAlert(database: Database, row: AlertRow): Alert {
  const { content } = database.one<{ content: string }>(
    'SELECT content FROM alert_contents WHERE alert_id = ?',
    row.id,
  )
  return { ...toListedAlert(row), content }
}

/** The first rows whose contents together are not larger than this many bytes; at least one. */
export function rowsWithin<Row extends SizedAlertRow>(
  rows: readonly Row[],
  maxBytes: number,
): readonly Row[] {
  let bytes = 0
  const end = rows.findIndex(({ size }, index) => (bytes += size) > maxBytes && index > 0)
  return end === -1 ? rows : rows.slice(0, end)
}

const byId = `WHERE t.organization_id = (SELECT id FROM organizations WHERE code = ?)
  AND t.provider_id = (SELECT id FROM providers WHERE code = ?) AND t.sequence = ?`
const select = { byUuid: `${selectAlert} WHERE t.uuid = ?`, byId: `${selectAlert} ${byId}` }
const selectWhole = `SELECT t.id, b.content, ${columns} ${tables} JOIN alert_contents b ON b.alert_id = t.id`
const selectWholeBy = { byUuid: `${selectWhole} WHERE t.uuid = ?`, byId: `${selectWhole} ${byId}` }

/** By uuid or by id, ignoring case. */
export function findAlertRow(database: Database, idOrUuid: string): AlertRow | undefined {
  return findRow<AlertRow>(database, idOrUuid, select)
}

/** The same, with its content. */
export function findAlert(database: Database, idOrUuid: string): Alert | undefined {
  const row = findRow<AlertRow & { readonly content: string }>(database, idOrUuid, selectWholeBy)
  return row && { ...toListedAlert(row), content: row.content }
}

function findRow<Row>(
  database: Database,
  idOrUuid: string,
  by: { readonly byUuid: string; readonly byId: string },
): Row | undefined {
  const uuid = parseUuid(idOrUuid)
  if (uuid !== undefined) return database.get<Row>(by.byUuid, uuid)
  const id = parseAlertId(idOrUuid)
  return id && database.get<Row>(by.byId, id.organization, id.provider, id.sequence)
}

/** An id that was given, and whose alert is not there. */
export function wasAlertDeleted(database: Database, scope: Scope, text: string): boolean {
  const id = parseAlertId(text)
  const found =
    id &&
    database.get<{ uuid: string }>(
      `SELECT o.uuid FROM alert_sequences s JOIN organizations o ON o.id = s.organization_id
         JOIN providers p ON p.id = s.provider_id
       WHERE o.code = ? AND p.code = ? AND s.last >= ? AND NOT EXISTS (SELECT 1 FROM alerts a
         WHERE a.organization_id = o.id AND a.provider_id = p.id AND a.sequence = ?)`,
      id.organization,
      id.provider,
      id.sequence,
      id.sequence,
    )
  return found !== undefined && isInScope(scope, found.uuid)
}

/** What a run needs to know of its alert; without the content, which may be large. */
export interface AlertState {
  readonly id: number
  readonly sequence: number
  readonly status: AlertStatus
  readonly organizationId: number
  readonly providerCode: string
  readonly caseRow: number | null
  readonly retryCount: number
  readonly investigator: string | null
}

const selectState = `
  SELECT t.id, t.sequence, t.status, t.organization_id AS organizationId, t.case_id AS caseRow, p.code AS providerCode,
    t.retry_count AS retryCount, t.investigator
  FROM alerts t JOIN providers p ON p.id = t.provider_id`

export function findAlertState(database: Database, uuid: string): AlertState | undefined {
  return database.get<AlertState>(`${selectState} WHERE t.uuid = ?`, uuid)
}

export function alertStateOf(database: Database, row: number): AlertState {
  return database.one<AlertState>(`${selectState} WHERE t.id = ?`, row)
}

/** Throws ConflictError `alert_move_forbidden` for a move that the table of moves does not have. */
export function requireMove(alert: AlertState, to: AlertStatus): void {
  if (!mayMove(alert.status, to)) throw moveForbidden(alert, to)
}

export function moveForbidden(alert: AlertState, to: AlertStatus): ConflictError {
  const [from, goal] = [alertStatusNames[alert.status], alertStatusNames[to]]
  return new ConflictError('alert_move_forbidden', `the alert is ${from}, and cannot become ${goal}`, {
    hint: 'Wait until its investigation has ended.',
    details: { from: alert.status, to },
  })
}
