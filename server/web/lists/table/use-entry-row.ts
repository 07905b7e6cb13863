import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/**
 * The one row that the tabulator key leads to (ARIA practices, roving tabindex): the one that had the focus last, at first the
 * first. It is always in the page, however far it has been scrolled away.
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
  // A row that is far away is in the page once it has been scrolled to.
  useLayoutEffect(focusWanted)
  return {
    index,
    set,
    /** Rows to be drawn, with this one among them. */
    with: (indexes: number[]): number[] =>
      ids.length === 0 || indexes.includes(index) ? indexes : [...indexes, index].toSorted((a, b) => a - b),
    /** Leads the focus to a row. */
    focus(target: number): void {
      wanted.current = target
      set(ids[target])
      focusWanted()
    },
  }
}
