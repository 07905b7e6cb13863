import type { ApiCase } from '../api/types.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { StateBadge } from '../parts/states.tsx'

/** Who has a case. */
export function Assignee({ found }: { readonly found: Pick<ApiCase, 'assignee' | 'assignee_state'> }) {
  if (found.assignee === null) return null
  return (
    <>
      {showInvisible(found.assignee)}
      {found.assignee_state === 'disabled' && (
        <>
          {' '}
          <StateBadge text="Disabled" color="gray" />
        </>
      )}
    </>
  )
}
