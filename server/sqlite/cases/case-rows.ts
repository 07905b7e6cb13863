import type { Actor } from '../../../core/domain/audit.ts'
import type { Case } from '../../../core/domain/case.ts'
import { composeCaseId } from '../../../core/domain/ids.ts'
import { NotFoundError } from '../../../core/errors/errors.ts'
import type { NewCase } from '../../../core/plugin/index.ts'
import { insertEntry } from './case-entries.ts'
import type { Database } from '../database/database.ts'
import { parseCaseId } from '../database/ids.ts'
import type { OrganizationKey } from '../access/organization-store.ts'
import type { Condition } from '../database/paging.ts'

export interface CaseRow extends Omit<Case, 'id'> {
  readonly id: number
  readonly severityRank: number
  readonly number: number
  readonly organizationCode: string
}

export const selectCase = `
  SELECT t.id, t.number, o.uuid AS organizationUuid, o.code AS organizationCode, t.title, t.summary, t.status,
    t.severity, t.verdict, t.assignee, t.revision, t.severity_rank AS severityRank,
    t.alerts_deleted AS alertsDeleted, t.runs_deleted AS runsDeleted, t.created_at AS createdAt, t.modified_at AS modifiedAt
  FROM cases t CROSS JOIN organizations o ON o.id = t.organization_id`

export function toCase(row: CaseRow): Case {
  const { id: _, number, organizationCode, severityRank: __, ...rest } = row
  return { id: composeCaseId(organizationCode, number), ...rest }
}

export function findCaseRow(database: Database, id: string): CaseRow | undefined {
  const parsed = parseCaseId(id)
  if (parsed === undefined) return undefined
  return database.get<CaseRow>(
    `${selectCase} WHERE t.organization_id = (SELECT id FROM organizations WHERE code = ?) AND t.number = ?`,
    parsed.organization,
    parsed.number,
  )
}

/** The rows whose column names this case; `column` is a name from the source, never from outside. */
export function ofCase(column: string, id: string): Condition {
  const parsed = parseCaseId(id)
  return {
    sql: `${column} = (SELECT c.id FROM cases c JOIN organizations o ON o.id = c.organization_id
      WHERE o.code = ? AND c.number = ?)`,
    values: [parsed?.organization ?? '', parsed?.number ?? 0],
  }
}

/** Throws NotFoundError `case_not_found`, also for a case of another organization. */
export function requireCaseRow(database: Database, organizationUuid: string, id: string): CaseRow {
  const row = findCaseRow(database, id)
  if (row?.organizationUuid === organizationUuid) return row
  throw new NotFoundError('case_not_found', `there is no case '${id.slice(0, 64)}'`)
}

export function caseByRow(database: Database, row: number): Case {
  return toCase(database.one<CaseRow>(`${selectCase} WHERE t.id = ?`, row))
}

/** Gives the new case its number and its first timeline entry; answers with both keys. */
export function insertCase(
  database: Database,
  organization: OrganizationKey,
  changes: NewCase,
  by: Actor,
  at: number,
): { readonly row: number; readonly number: number } {
  const { number } = database.one<{ number: number }>(
    'UPDATE organizations SET last_case_number = last_case_number + 1 WHERE id = ? RETURNING last_case_number AS number',
    organization.id,
  )
  const row = database.insert(
    `INSERT INTO cases (organization_id, number, title, summary, status, severity, verdict, assignee, created_at,
       modified_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    organization.id,
    number,
    changes.title,
    changes.summary ?? '',
    changes.status ?? 'open',
    changes.severity ?? 'medium',
    changes.verdict ?? 'unknown',
    changes.assignee ?? null,
    at,
    at,
  )
  insertEntry(database, row, { at, by, kind: 'opened', text: 'The case was opened.', changes: null })
  return { row, number }
}
