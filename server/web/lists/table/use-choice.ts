import { useState } from 'react'
import type { Selection } from './data-table.tsx'

const none: ReadonlySet<string> = new Set()

/**
 * The rows of a list that somebody has chosen; forgotten as soon as other rows are listed, so that nothing is done to what
 * cannot be seen.
 *
 * @param narrowing the filters of the list
 */
export function useChoice(narrowing: object): Selection {
  const listed = JSON.stringify(narrowing)
  const [choice, setChoice] = useState({ listed, ids: none })
  if (choice.listed !== listed) setChoice({ listed, ids: none })
  return {
    ids: choice.listed === listed ? choice.ids : none,
    onChange: (ids) => setChoice({ listed, ids }),
  }
}
