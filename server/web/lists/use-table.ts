import { useCallback, useLayoutEffect, useRef, useState, type RefObject, useEffect } from 'react'
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks'
import { hasMoreColumns, findShift } from './rows.ts'
import { useStableCallback } from '../parts/hooks.ts'

/** In pixels. */
export const rowHeight = 40

/**
 * The row that Tab moves to (roving tabindex): the row that last had focus, initially the first row. It
 * always stays in the document.
 */
export function useEntryRow(viewport: RefObject<HTMLElement | null>, ids: readonly string[]) {
  const [id, set] = useState<string>()
  const index = Math.max(0, id === undefined ? 0 : ids.indexOf(id))
  const wanted = useRef<number>(undefined)
  const focusWanted = useCallback(() => {
    if (wanted.current === undefined) return
    const row = viewport.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (!row) return
    wanted.current = undefined
    row.focus({ preventScroll: true })
  }, [viewport])
  // A far row is in the document after scrolling.
  useLayoutEffect(focusWanted)
  return {
    index,
    set,
    /** The indexes to render, including this row. */
    with: (indexes: number[]): number[] =>
      ids.length === 0 || indexes.includes(index) ? indexes : [...indexes, index].toSorted((a, b) => a - b),
    /** Moves the focus to a row. */
    focus(target: number): void {
      wanted.current = target
      set(ids[target])
      focusWanted()
    },
  }
}

/** State in the browser history. */
interface Place {
  readonly scrollTop?: number
}

/** Scroll position in pixels after Back; 0 for a new visit. Stored in the browser history. */
export function useScrollPosition(viewport: RefObject<HTMLElement | null>): number {
  const [scrollTop] = useState(() => (history.state as Place | null)?.scrollTop ?? 0)
  const keep = useDebouncedCallback(() => {
    const table = viewport.current
    if (table === null) return
    history.replaceState({ ...(history.state as object | null), scrollTop: table.scrollTop }, '')
  }, 200)
  useEffect(() => {
    const table = viewport.current
    table?.addEventListener('scroll', keep, { passive: true })
    return () => table?.removeEventListener('scroll', keep)
  }, [keep, viewport])
  return scrollTop
}

/** Whether there are more columns beyond the edge. */
export function useHasMoreColumns(viewport: RefObject<HTMLElement | null>): boolean {
  const [isMore, setMore] = useState(false)
  useEffect(() => {
    const table = viewport.current
    if (table === null) return undefined
    const look = (): void => setMore(hasMoreColumns(table))
    const sizes = new ResizeObserver(look)
    for (const part of [table, ...table.children]) sizes.observe(part)
    table.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      table.removeEventListener('scroll', look)
    }
  }, [viewport])
  return isMore
}

/** Whether the page is narrower than 62em. */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false })

const none: ReadonlySet<string> = new Set()

/**
 * The selected rows. Cleared when the filters change, so that no invisible row is selected.
 *
 * @param narrowing the filters of the list
 */
export function useSelection(narrowing: object): Selection {
  const listed = JSON.stringify(narrowing)
  const [choice, setChoice] = useState({ listed, ids: none })
  if (choice.listed !== listed) setChoice({ listed, ids: none })
  return {
    ids: choice.listed === listed ? choice.ids : none,
    onChange: (ids) => setChoice({ listed, ids }),
  }
}

interface ArrivalsOptions {
  readonly viewport: RefObject<HTMLElement | null>
  /** Of the rows, in order. */
  readonly ids: readonly string[]
  readonly rowHeight: number
  /** Identifies filters and sorting. */
  readonly listed: string
}

/**
 * Keeps the visible rows in place while others arrive or leave, if the user has scrolled or uses the table.
 * Returns the number of new rows above.
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
      const above = Math.floor((table?.scrollTop ?? 0) / rowHeight)
      setUnseen((count) => Math.min(count, above))
    }
    table?.addEventListener('scroll', look, { passive: true })
    return () => table?.removeEventListener('scroll', look)
  }, [isLooking, rowHeight, viewport])
  const show = useCallback(() => viewport.current?.scrollTo({ top: 0 }), [viewport])
  return { unseen, show }
}

interface MissedOptions {
  readonly viewport: RefObject<HTMLElement | null>
  /** Number of new rows that are not in the table; 0 if none. */
  readonly missed: number
  readonly isChosen: boolean
  /** Reloads the list from the start. */
  readonly onBegin: () => void
}

/**
 * Reloads a table with missing rows, unless the user has scrolled, uses it, or has selected rows. Returns a
 * function that reloads it anyway.
 */
export function useRestart({ viewport, missed, isChosen, onBegin }: MissedOptions): () => void {
  const begin = useStableCallback(() => {
    viewport.current?.scrollTo({ top: 0 })
    onBegin()
  })
  const comeAlong = useStableCallback(() => {
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

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly onChange: (ids: ReadonlySet<string>) => void
}
