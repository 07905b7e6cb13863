import { useState } from 'react'
import type { Checkpoint } from '../checkpoint.ts'
import { keepShown } from './keep-shown.ts'

/** The questions that were shown for these filters since the view was opened, in their places. */
export function useKept(filters: string, waiting: readonly Checkpoint[]): readonly Checkpoint[] {
  const [kept, setKept] = useState({ filters, waiting, shown: waiting })
  if (kept.filters === filters && kept.waiting === waiting) return kept.shown
  const shown = keepShown(kept.filters === filters ? kept.shown : [], waiting)
  setKept({ filters, waiting, shown })
  return shown
}
