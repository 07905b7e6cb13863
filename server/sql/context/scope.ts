import type { OrganizationScope } from '../../../core/ports/common.ts'
import type { Condition } from '../database/paging.ts'

/** Rows of the organizations in scope; `column` is a constant of the source. */
export function scopeConditions(scope: OrganizationScope, column: string): readonly Condition[] {
  if (scope === 'all') return []
  const [only] = scope
  // With equality, SQLite reads the rows of one organization newest first without sorting.
  if (scope.length === 1 && only !== undefined) {
    return [{ sql: `${column} = (SELECT id FROM organizations WHERE uuid = ?)`, values: [only] }]
  }
  const isListed = 'IN (SELECT id FROM organizations WHERE uuid IN (SELECT value FROM json_each(?)))'
  // Without the `+`, SQLite would collect all rows by organization and sort them. Counting uses the index.
  return [
    {
      sql: `${column} ${isListed}`,
      sqlInOrder: `+${column} ${isListed}`,
      values: [JSON.stringify(scope)],
    },
  ]
}
