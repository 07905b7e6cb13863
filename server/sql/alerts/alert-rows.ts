import type { Work } from '../database/work.ts'
import { contentMatch, matchedCharacters } from '../../../core/observable/content-match.ts'
import {
  alertFields,
  contentPreview,
  investigationFields,
  type Alert,
  type NewAlert,
} from '../../../core/domain/alert.ts'
import { composeAlertId, composeCaseId } from '../../../core/domain/ids.ts'
import { NotFoundError, ValidationError } from '../../../core/errors/errors.ts'
import type { ListedAlert } from '../../../core/ports/alert-store.ts'
import type { AlertChanges, AlertState } from '../../../core/transitions/alert.ts'
import { foldAscii } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { parseAlertId, parseUuid } from '../database/ids.ts'
import { insertKeyed, pick, selectList, updateRow, type FieldValues } from '../context/rows.ts'

/** Fields that are composed of several columns, or stored elsewhere. */
const composed = [
  'id',
  'content',
  'provider',
  'organizationUuid',
  'organizationCode',
  'createdAtSource',
  'caseId',
  'groupedWith',
] as const
type Stored = Omit<Alert, (typeof composed)[number]>

/** Fields that have their own column. */
const stored = Object.keys({ ...alertFields, ...investigationFields }).filter(
  (field) => !(composed as readonly string[]).includes(field),
) as readonly (keyof Stored)[]

const columnNames = {
  groupedBecause: 'group_reason',
  caseRow: 'case_id',
  organizationRow: 'organization_id',
  providerRow: 'provider_id',
}

/** A row without its content, which may be large. */
export interface AlertRow extends Stored, Pick<Alert, 'organizationUuid' | 'organizationCode' | 'provider'> {
  readonly id: number
  readonly sequence: number
  /** Decimal: an int64 does not fit a JavaScript number. */
  readonly createdAtSource: string | null
  readonly caseNumber: number | null
  readonly groupSequence: number | null
}

/** With the size of the content in bytes, to decide whether to load it. */
export interface SizedAlertRow extends AlertRow {
  readonly size: number
}

/** With the stored preview, or the whole content if it is small. */
export interface PreviewedAlertRow extends AlertRow {
  readonly preview: string
}

/** With the content if it is short enough to find words in it. */
export interface MatchedAlertRow extends PreviewedAlertRow {
  readonly searched: string | null
}

const columns = `
  ${selectList(stored, columnNames)}, t.sequence, CAST(t.created_at_source AS TEXT) AS "createdAtSource",
    t.group_sequence AS "groupSequence", o.uuid AS "organizationUuid", o.code AS "organizationCode", p.code AS provider,
    c.number AS "caseNumber"`
const tables = `
  FROM alerts t
    CROSS JOIN organizations o ON o.id = t.organization_id
    CROSS JOIN providers p ON p.id = t.provider_id
    LEFT JOIN cases c ON c.id = t.case_id`

export const selectAlert = `SELECT t.id, ${columns} ${tables}`

/** SQLite knows the size without reading the content. */
export const selectSizedAlert = `
  SELECT t.id, (SELECT octet_length(content) FROM alert_contents WHERE alert_id = t.id) AS size, ${columns} ${tables}`

/** Contents from this many characters on have a stored preview. */
const previewedFrom = 4_000

/** The preview to store; null for a small content. */
function storedPreview(content: string): string | null {
  return content.length < previewedFrom ? null : contentPreview(content)
}

export const selectPreviewedAlert = `
  SELECT t.id, coalesce(t.content_preview, (SELECT content FROM alert_contents WHERE alert_id = t.id)) AS preview, ${columns} ${tables}`

export const selectMatchedAlert = selectPreviewedAlert.replace(
  'SELECT t.id,',
  `SELECT t.id, (SELECT content FROM alert_contents
     WHERE alert_id = t.id AND octet_length(content) < ${matchedCharacters}) AS searched,`,
)

export const toMatchedAlert =
  (words: string) =>
  (row: MatchedAlertRow): ListedAlert => ({
    ...toPreviewedAlert(row),
    contentMatch: row.searched === null ? undefined : contentMatch(row.searched, words),
  })

export function toPreviewedAlert(row: PreviewedAlertRow): ListedAlert {
  return { ...toListedAlert(row), contentPreview: contentPreview(row.preview) }
}

export function toListedAlert(row: AlertRow): ListedAlert {
  const {
    organizationUuid,
    organizationCode,
    provider,
    sequence,
    createdAtSource,
    caseNumber,
    groupSequence,
  } = row
  return {
    ...pick(row, stored),
    id: composeAlertId(organizationCode, provider, sequence),
    provider,
    organizationUuid,
    organizationCode,
    createdAtSource: createdAtSource === null ? null : BigInt(createdAtSource),
    caseId: caseNumber === null ? null : composeCaseId(organizationCode, caseNumber),
    groupedWith: groupSequence === null ? null : composeAlertId(organizationCode, provider, groupSequence),
  }
}

/** Inside of a write. Gives the key of the row: `key`, from `Database.nextKey`, if there is one. */
export function insertAlert(
  database: Database,
  key: number | undefined,
  alert: Alert,
  keys: FieldValues,
): Work<number> {
  const { createdAtSource, content } = alert
  const values = { ...pick(alert, stored), ...keys, createdAtSource, contentPreview: storedPreview(content) }
  return insertKeyed(database, 'alerts', key, values, columnNames)
}

/** With the content, which is loaded here. */
export function* toAlert(database: Database, row: AlertRow): Work<Alert> {
  const { content } = yield* database.one<{ content: string }>(
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

const byId = `WHERE t.organization_id = (SELECT id FROM organizations WHERE lower(code) = ?)
  AND t.provider_id = (SELECT id FROM providers WHERE lower(code) = ?) AND t.sequence = ?`
const select = { byUuid: `${selectAlert} WHERE t.uuid = ?`, byId: `${selectAlert} ${byId}` }
const selectWhole = `SELECT t.id, b.content, ${columns} ${tables} JOIN alert_contents b ON b.alert_id = t.id`
const selectWholeBy = { byUuid: `${selectWhole} WHERE t.uuid = ?`, byId: `${selectWhole} ${byId}` }

/** By uuid or id, ignoring case. */
export function* findAlertRow(database: Database, idOrUuid: string): Work<AlertRow | undefined> {
  return yield* findRow<AlertRow>(database, idOrUuid, select)
}

/** With its content. */
export function* findAlert(database: Database, idOrUuid: string): Work<Alert | undefined> {
  const row = yield* findRow<AlertRow & { readonly content: string }>(database, idOrUuid, selectWholeBy)
  return row && { ...toListedAlert(row), content: row.content }
}

function* findRow<Row>(
  database: Database,
  idOrUuid: string,
  by: { readonly byUuid: string; readonly byId: string },
): Work<Row | undefined> {
  const uuid = parseUuid(idOrUuid)
  if (uuid !== undefined) return yield* database.get<Row>(by.byUuid, uuid)
  const id = parseAlertId(idOrUuid)
  return (
    id && (yield* database.get<Row>(by.byId, foldAscii(id.organization), foldAscii(id.provider), id.sequence))
  )
}

/** An alert in a transition, with its keys; without the content, which may be large. */
export interface AlertStateRow extends AlertState {
  readonly row: number
  readonly sequence: number
  readonly organizationRow: number
  readonly caseRow: number | null
  /** Whether it is in the indexes of lists, and counted. */
  readonly isListed: 0 | 1
}

const selectState = `
  SELECT t.id AS row, t.sequence, t.status, t.organization_id AS "organizationRow", t.case_id AS "caseRow",
    t.listed AS "isListed", t.retry_count AS "retryCount", t.investigator, o.code AS "organizationCode", p.code AS provider
  FROM alerts t CROSS JOIN organizations o ON o.id = t.organization_id CROSS JOIN providers p ON p.id = t.provider_id`

type SelectedState = Omit<AlertStateRow, 'id'> & Pick<AlertRow, 'organizationCode' | 'provider'>

const toState = ({ organizationCode, provider, ...row }: SelectedState): AlertStateRow => ({
  ...row,
  id: composeAlertId(organizationCode, provider, row.sequence),
})

/** Throws NotFoundError `alert_not_found`, also for an alert of another organization. */
export function* requireAlertState(
  database: Database,
  organizationRow: number,
  uuid: string,
): Work<AlertStateRow> {
  const row = yield* database.get<SelectedState>(`${selectState} WHERE t.uuid = ?`, uuid)
  if (row?.organizationRow === organizationRow) return toState(row)
  throw new NotFoundError('alert_not_found', `there is no alert ${uuid}`)
}

export function* alertStateOf(database: Database, row: number): Work<AlertStateRow> {
  return toState(yield* database.one<SelectedState>(`${selectState} WHERE t.id = ?`, row))
}

export function* alertStateOfRun(database: Database, runUuid: string): Work<AlertStateRow | undefined> {
  const ofRun = 't.id = (SELECT alert_id FROM runs WHERE uuid = ?)'
  const row = yield* database.get<SelectedState>(`${selectState} WHERE ${ofRun}`, runUuid)
  return row && toState(row)
}

/** The links of an alert to other rows. */
interface AlertLinks {
  readonly joinedBecause?: string | undefined
  readonly caseRow?: number | null | undefined
  readonly groupSequence?: number
  /** Row of the alert that this alert follows */
  readonly follows?: number | null
}

/** Inside of a write. */
export function* changeAlert(
  database: Database,
  row: number,
  changes: Omit<AlertChanges, 'follows'> & AlertLinks,
): Work<void> {
  yield* updateRow(database, 'alerts', row, { ...changes }, columnNames)
}

export function requireInt64(value: bigint | null): void {
  if (value === null || BigInt.asIntN(64, value) === value) return
  const message = 'must be a 64-bit integer'
  throw new ValidationError('out_of_range', `created_at_source ${message}`, [
    { pointer: '/created_at_source', message },
  ])
}

/** UTF-8 and the database cannot store half of a surrogate pair, and alerts are stored unchanged or not at all. */
export function requireWellFormed({ content, type }: NewAlert): void {
  const field = !content.isWellFormed()
    ? 'alert_content'
    : type?.isWellFormed() === false
      ? 'alert_type'
      : undefined
  if (field === undefined) return
  const message = 'contains a lone surrogate (\\ud800 to \\udfff), which is not valid text'
  throw new ValidationError('not_well_formed', `${field} ${message}`, [{ pointer: `/${field}`, message }])
}
