import type { CaseFilter } from '../../../core/ports/case-store.ts'
import type { Condition } from '../database/paging.ts'

/** What a list of cases is narrowed by. */
export function caseFilterConditions(filter: CaseFilter): readonly Condition[] {
  const { organization, assignee, text, createdAfter, createdBefore } = filter
  const conditions: Condition[] = []
  if (organization !== undefined) {
    conditions.push({
      sql: 't.organization_id = (SELECT id FROM organizations WHERE code = ?)',
      values: [organization],
    })
  }
  for (const field of ['status', 'severity', 'verdict'] as const) {
    const value = filter[field]
    if (value !== undefined) conditions.push({ sql: `t.${field} = ?`, values: [value] })
  }
  if (assignee !== undefined) conditions.push({ sql: 't.assignee IS ?', values: [assignee] })
  if (text !== undefined) {
    const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    conditions.push({
      sql: String.raw`(t.title LIKE ? ESCAPE '\' OR t.summary LIKE ? ESCAPE '\')`,
      values: [pattern, pattern],
    })
  }
  if (createdAfter !== undefined) conditions.push({ sql: 't.created_at >= ?', values: [createdAfter] })
  if (createdBefore !== undefined) conditions.push({ sql: 't.created_at < ?', values: [createdBefore] })
  return conditions
}
