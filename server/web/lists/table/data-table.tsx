import { Button, Loader, Text } from '@mantine/core'
import { TriangleDownIcon, TriangleUpIcon } from '@radix-ui/react-icons'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode } from 'react'
import './data-table.css'
import { DataRow } from './data-row.tsx'
import { rowCount } from '../rows/row-count.ts'
import { TableSkeleton } from './table-skeleton.tsx'
import { useArrivals } from '../rows/use-arrivals.ts'
import { useMissed } from '../rows/use-missed.ts'
import { usePlace } from './use-place.ts'
import { useEntryRow } from './use-entry-row.ts'
import { useIsNarrow } from './use-is-narrow.ts'
import { useMoreSideways } from './use-more-sideways.ts'
import { useSteady } from './use-steady.ts'
import type { Column } from './column.ts'

interface DataTableProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  /** What a click on a row, and Enter in it, does. */
  readonly onOpen?: (row: Row) => void
  /** Another one where other rows are listed, or in another order: the table then begins at its top. */
  readonly listed?: string
  /** Nothing is known yet. */
  readonly isPending?: boolean
  /** What the key `c` does in a row: shows more of it without leaving the table. */
  readonly onPeek?: (row: Row) => void
  /** How many rows there are, those that are not loaded among them; undefined: that is not known yet. */
  readonly total: number | undefined
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  /** The next rows could not be had: they are asked for again only when somebody says so. */
  readonly isMoreRefused: boolean
  readonly onMore: () => Promise<void>
  /** At least so many rows have come that are too many to be put above those that are shown; 0 where there are none. */
  readonly missed: number
  /** Shows the list from its beginning, with what was missed. */
  readonly onBegin: () => void
  /** `created_at`, with `-` before it downwards. */
  readonly sort?: string
  readonly onSort?: (sort: string) => void
  readonly selection?: Selection
  /** Shown where there are no rows. */
  readonly empty: ReactNode
}

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly onChange: (ids: ReadonlySet<string>) => void
}

const rowHeight = 40
/** The next rows are asked for when so many are left below. */
const rowsAhead = 50

/** A table of any length, of which only what is seen is in the page. Up, Down, Page Up, Page Down, Home, End and Enter work in it. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, idOf, onOpen, onPeek, hasMore, isLoadingMore, isMoreRefused, onMore, selection, isPending } =
    props
  const isNarrow = useIsNarrow()
  const columns = useMemo(
    () => (isNarrow ? props.columns.filter(({ isExtra }) => isExtra !== true) : props.columns),
    [isNarrow, props.columns],
  )
  const viewport = useRef<HTMLDivElement>(null)
  const isMore = useMoreSideways(viewport)
  const place = usePlace(viewport)
  const ids = useMemo(() => rows.map(idOf), [rows, idOf])
  const entry = useEntryRow(viewport, ids)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : idOf(row)
    },
    overscan: 12,
    initialOffset: place,
    rangeExtractor: (range) => entry.with(defaultRangeExtractor(range)),
  })
  const arrivals = useArrivals({ viewport, ids, rowHeight, listed: props.listed ?? '' })
  const { missed, onBegin } = props
  const isChosen = selection !== undefined && selection.ids.size > 0
  const begin = useMissed({ viewport, missed, isChosen, onBegin })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (hasMore && !isLoadingMore && !isMoreRefused && last >= rows.length - rowsAhead) void onMore()
  }, [hasMore, isLoadingMore, isMoreRefused, last, onMore, rows.length])

  const template = [...(selection ? ['20px'] : []), ...columns.map(({ width }) => width)].join(' ')
  const focusRow = (index: number): void => {
    const target = Math.max(0, Math.min(rows.length - 1, index))
    virtual.scrollToIndex(target)
    entry.focus(target)
  }
  const open = useSteady((row: Row) => onOpen?.(row))
  const choose = useSteady((id: string) => selection && toggle(selection, id))
  const onKey = useSteady((event: KeyboardEvent<HTMLElement>, index: number, row: Row) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.floor((viewport.current?.clientHeight ?? rowHeight) / rowHeight) - 1
    const move = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: rows.length - 1,
    }[event.key]
    if (event.key === 'Enter') onOpen?.(row)
    else if (event.key === ' ' && selection !== undefined) toggle(selection, idOf(row))
    else if (event.key === 'c' && onPeek !== undefined) onPeek(row)
    else if (move === undefined) return
    else focusRow(move)
    event.preventDefault()
  })
  const shortcuts = ['Enter', ...(selection ? ['Space'] : []), ...(onPeek ? ['c'] : [])].join(' ')
  return (
    <div className="data-table-frame" data-more={isMore}>
      {(missed > 0 || arrivals.unseen > 0) && (
        <button type="button" className="data-table-arrivals" onClick={missed > 0 ? begin : arrivals.show}>
          {missed > 0 ? `${missed.toLocaleString()}+` : arrivals.unseen} new above
        </button>
      )}
      <div
        ref={viewport}
        className="data-table"
        role="grid"
        aria-busy={isPending}
        data-pending={isPending}
        aria-label={props.label}
        aria-rowcount={rowCount(rows.length, hasMore, props.total)}
      >
        <div className="data-table-inner" data-chooses={selection !== undefined}>
          <div
            className="data-table-head"
            role="row"
            aria-rowindex={1}
            style={{ gridTemplateColumns: template }}
          >
            {selection && <SelectAll ids={ids} selection={selection} />}
            {columns.map((column) => (
              <Head key={column.title} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </div>
          {isPending === true && (
            <TableSkeleton template={template} columns={columns.length + (selection ? 1 : 0)} />
          )}
          {isPending !== true && rows.length === 0 && (
            <div role="row">
              <div role="gridcell">{props.empty}</div>
            </div>
          )}
          <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {items.map(({ index, key, start }) => {
              const row = rows[index]
              if (row === undefined) return null
              const id = idOf(row)
              return (
                <DataRow
                  key={key}
                  row={row}
                  id={id}
                  index={index}
                  start={start}
                  height={rowHeight}
                  template={template}
                  columns={columns}
                  isChosen={selection?.ids.has(id)}
                  opens={onOpen !== undefined}
                  shortcuts={shortcuts}
                  onOpen={open}
                  onToggle={choose}
                  onKey={onKey}
                  isEntry={index === entry.index}
                  onFocus={entry.set}
                />
              )
            })}
          </div>
          {isLoadingMore && (
            <Text c="dimmed" size="sm" p="xs">
              <Loader size={12} mr={6} /> Loading more
            </Text>
          )}
          {hasMore && isMoreRefused && (
            <div role="row">
              <Text role="gridcell" c="dimmed" size="sm" p="xs">
                The next rows could not be loaded.{' '}
                <Button size="compact-xs" variant="default" onClick={() => void onMore()}>
                  Try again
                </Button>
              </Text>
            </div>
          )}
        </div>
      </div>
    </div>
  )
}

function toggle({ ids, onChange }: Selection, id: string): void {
  const after = new Set(ids)
  if (!after.delete(id)) after.add(id)
  onChange(after)
}

function SelectAll({ ids, selection }: { readonly ids: readonly string[]; readonly selection: Selection }) {
  const isAll = ids.length > 0 && ids.every((id) => selection.ids.has(id))
  return (
    <label role="columnheader" className="data-table-choice">
      <input
        type="checkbox"
        aria-label="Choose all that are loaded"
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = !isAll && selection.ids.size > 0
        }}
        onChange={() => selection.onChange(new Set(isAll ? [] : ids))}
      />
    </label>
  )
}

interface HeadProps<Row> {
  readonly column: Column<Row>
  readonly sort: string | undefined
  readonly onSort: ((sort: string) => void) | undefined
}

function Head<Row>({ column: { title, sort: name, isNumber }, sort, onSort }: HeadProps<Row>) {
  if (name === undefined || onSort === undefined)
    return (
      <div role="columnheader" className="data-table-cell" data-number={isNumber}>
        {title}
      </div>
    )
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined
  const Arrow = direction === 'ascending' ? TriangleUpIcon : TriangleDownIcon
  return (
    <div role="columnheader" aria-sort={direction ?? 'none'}>
      <button
        type="button"
        className="data-table-sort"
        onClick={() => onSort(direction === 'descending' ? name : `-${name}`)}
      >
        {title}
        <Arrow style={{ visibility: direction === undefined ? 'hidden' : 'visible' }} />
      </button>
    </div>
  )
}
