import type { Scope } from '../../../core/ports/common.ts'
import type { Condition } from '../database/paging.ts'

export { isInScope } from '../../../core/common/scope.ts'

/** The rows of the scope's organizations; `column` is a name from the source, never from outside. */
export function scopeConditions(scope: Scope, column: string): readonly Condition[] {
  if (scope === 'all') return []
  const [only] = scope
  // Equality lets SQLite walk one organization's rows newest first instead of sorting them.
  if (scope.length === 1 && only !== undefined) {
    return [{ sql: `${column} = (SELECT id FROM organizations WHERE uuid = ?)`, values: [only] }]
  }
  const isListed = 'IN (SELECT id FROM organizations WHERE uuid IN (SELECT value FROM json_each(?)))'
  // The `+` keeps SQLite from gathering all rows by organization only to sort them; for counting, the index is right.
  return [
    {
      sql: `${column} ${isListed}`,
      sqlInOrder: `+${column} ${isListed}`,
      values: [JSON.stringify(scope)],
    },
  ]
}
