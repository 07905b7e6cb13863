import { useEffect, type RefObject } from 'react'
import { useSteady } from '../table/use-steady.ts'

interface MissedOptions {
  readonly viewport: RefObject<HTMLElement | null>
  /** At least so many rows have come that the table does not hold; 0 where it holds all. */
  readonly missed: number
  /** Rows are chosen. */
  readonly isChosen: boolean
  /** Shows the list from its beginning as it is now. */
  readonly onBegin: () => void
}

/**
 * A table that was left behind begins anew by itself where nobody would lose their place: whoever has scrolled down, has the pointer or the focus in
 * it, or has chosen rows, keeps them until they ask for what came. Gives what does that.
 */
export function useMissed({ viewport, missed, isChosen, onBegin }: MissedOptions): () => void {
  const begin = useSteady(() => {
    viewport.current?.scrollTo({ top: 0 })
    onBegin()
  })
  const comeAlong = useSteady(() => {
    const table = viewport.current
    const isRead = table !== null && (table.scrollTop > 0 || table.matches(':hover, :focus-within'))
    if (!isRead && !isChosen) begin()
  })
  const isBehind = missed > 0
  useEffect(() => {
    if (isBehind) comeAlong()
  }, [comeAlong, isBehind])
  return begin
}
