import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { findShift } from './find-shift.ts'

interface ArrivalsOptions {
  readonly viewport: RefObject<HTMLElement | null>
  /** Of the rows, in their order. */
  readonly ids: readonly string[]
  readonly rowHeight: number
  /** Another one where other rows are listed, or in another order. */
  readonly listed: string
}

/**
 * Keeps what is read where it is while rows come and leave above it: whoever has scrolled down, or has the pointer or the focus in the table, is not
 * to click another row than the one they saw. Gives how many rows have arrived out of sight, and what leads to them.
 */
export function useArrivals({ viewport, ids, rowHeight, listed }: ArrivalsOptions) {
  const [unseen, setUnseen] = useState(0)
  const before = useRef({ ids, listed })
  useLayoutEffect(() => {
    const table = viewport.current
    const isSame = before.current.listed === listed
    const top = Math.floor((table?.scrollTop ?? 0) / rowHeight)
    const { rows, arrived } = findShift(before.current.ids, ids, top)
    before.current = { ids, listed }
    if (table === null) return
    if (!isSame) {
      table.scrollTop = 0
      setUnseen(0)
    } else if (rows !== 0 && (table.scrollTop > 0 || table.matches(':hover, :focus-within'))) {
      table.scrollTop += rows * rowHeight
      setUnseen((count) => count + arrived)
    }
  }, [ids, listed, rowHeight, viewport])
  const isLooking = unseen > 0
  useEffect(() => {
    const table = viewport.current
    if (!isLooking) return
    const look = (): void => {
      // As many as are still above.
      const above = Math.floor((table?.scrollTop ?? 0) / rowHeight)
      setUnseen((count) => Math.min(count, above))
    }
    table?.addEventListener('scroll', look, { passive: true })
    return () => table?.removeEventListener('scroll', look)
  }, [isLooking, rowHeight, viewport])
  const show = useCallback(() => viewport.current?.scrollTo({ top: 0 }), [viewport])
  return { unseen, show }
}
