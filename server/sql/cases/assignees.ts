import type { Work } from '../database/work.ts'
import { assignedTo, unknownAssignee } from '../../../core/case/assignee.ts'
import { peopleFor } from '../../../core/case/mentions.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { CaseEdit } from '../../../core/domain/case.ts'
import { allAccounts } from '../access/account-rows.ts'
import { allRoles } from '../access/role-store.ts'
import type { Database } from '../database/database.ts'
import type { Condition } from '../database/paging.ts'

/** SQL: the present name of a person, or the text of a column. `<column>_id` is the person. */
export const presentName = (column: string): string =>
  `coalesce((SELECT name FROM accounts WHERE uuid = ${column}_id), ${column})`

/** SQL: `active` or `disabled`; null: a text, or not assigned. */
export const presentState = (column: string): string =>
  `coalesce((SELECT CASE WHEN disabled_at IS NULL THEN 'active' ELSE 'disabled' END FROM accounts WHERE uuid = ${column}_id),
    (SELECT CASE WHEN revoked_at IS NULL THEN 'active' ELSE 'disabled' END FROM api_keys WHERE public_id = ${column}_id))`

/** Ids of those who have a name; binds the name twice. */
const idsOfName = `SELECT uuid FROM accounts WHERE name = ? UNION ALL SELECT public_id FROM api_keys WHERE name = ?`

/** Rows of people with this name, and of this text; `source` ends with WHERE. */
export const named = (column: string, key: string, source: string, name: string): Condition => ({
  sql: `${key} IN (${source} ${column} = ? AND ${column}_id IS NULL UNION ALL ${source} ${column}_id IN (${idsOfName}))`,
  values: [name, name, name],
})

/** Rows whose person is disabled, or whose key is revoked. */
export const ofDisabled = (column: string, key: string, source: string): Condition => ({
  sql: `${key} IN (${source} ${column}_id IN (SELECT uuid FROM accounts WHERE disabled_at IS NOT NULL UNION ALL
    SELECT public_id FROM api_keys WHERE revoked_at IS NOT NULL))`,
  values: [],
})

/** Inside of a write: a change with the person whom a playbook or another system names, and what the timeline says if there is none. */
export function* withAssignee<Changes extends Pick<CaseEdit, 'assignee' | 'assigneeId'>>(
  database: Database,
  organizationUuid: string,
  changes: Changes,
  by: Actor,
): Work<{ readonly changes: Changes; readonly notes: readonly string[] }> {
  const { assignee: name } = changes
  if (typeof name !== 'string') return { changes, notes: [] }
  const people = peopleFor(yield* allAccounts(database), organizationUuid, yield* allRoles(database))
  const { name: assignee = name, id } = assignedTo({ name }, people, by) ?? { id: null }
  const notes = id === null && by.kind === 'run' ? [unknownAssignee(name)] : []
  return { changes: { ...changes, assignee, assigneeId: id }, notes }
}
