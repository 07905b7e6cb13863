import { useRef, type KeyboardEvent, type RefObject } from 'react'
import { useStableCallback } from '../parts/hooks.ts'
import { usePlainKey } from '../shell/plain-keys.ts'
import type { RowActions } from './data-row.tsx'
import { rowsBetween } from './rows.ts'
import { rowHeight, type Selection } from './use-table.ts'

interface ActiveTable<Row> {
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  readonly onPeek?: (row: Row) => void
  readonly selection?: Selection
}

/** Click and key handlers of rows, as stable functions. */
export function useRowActions<Row>(
  { rows, idOf, onOpen, onPeek, selection }: ActiveTable<Row>,
  viewport: RefObject<HTMLDivElement | null>,
  focusRow: (index: number) => void,
): Pick<RowActions<Row>, 'onOpen' | 'onToggle' | 'onKey'> {
  const open = useStableCallback((row: Row) => onOpen?.(row))
  const last = useRef<string>(undefined)
  const choose = useStableCallback((id: string, extend: boolean) => {
    if (selection === undefined) return
    const range = extend ? rowsBetween(rows.map(idOf), last.current, id) : undefined
    if (range === undefined) toggle(selection, id)
    else selection.onChange(new Set([...selection.ids, ...range]))
    last.current = id
  })
  const onKey = useStableCallback((event: KeyboardEvent<HTMLElement>, index: number, row: Row) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.isDefaultPrevented()) return
    const page = Math.floor((viewport.current?.clientHeight ?? rowHeight) / rowHeight) - 1
    const move = {
      ArrowDown: index + 1,
      j: index + 1,
      ArrowUp: index - 1,
      k: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: rows.length - 1,
    }[event.key]
    if (event.key === 'Enter') onOpen?.(row)
    else if (['x', 'X', ' '].includes(event.key) && selection !== undefined) choose(idOf(row), event.shiftKey)
    else if (event.key === 'c' && onPeek !== undefined) onPeek(row)
    else if (move === undefined) return
    else focusRow(move)
    event.preventDefault()
  })
  return { onOpen: open, onToggle: choose, onKey }
}

/** From anywhere in the view, `j` and `k` move the focus to the row that Tab would move to. */
export function useListKeys(onEnter: () => void): void {
  usePlainKey((key) => {
    if (key !== 'j' && key !== 'k') return false
    onEnter()
    return true
  })
}

function toggle({ ids, onChange }: Selection, id: string): void {
  const after = new Set(ids)
  if (!after.delete(id)) after.add(id)
  onChange(after)
}
