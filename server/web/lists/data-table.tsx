import { Button, Loader, Text } from '@mantine/core'
import { ChevronDownIcon, ChevronUpIcon } from 'lucide-react'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type ReactNode, type RefObject } from 'react'
import './lists.css'
import { DataRow, TableSkeleton, type Column } from './data-row.tsx'
import { rowCount } from './rows.ts'
import { useListKeys, useRowActions } from './use-row-actions.ts'
import {
  rowHeight,
  useArrivals,
  useRestart,
  useScrollPosition,
  useEntryRow,
  useIsNarrow,
  useHasMoreColumns,
  type Selection,
} from './use-table.ts'
import { useStableCallback } from '../parts/hooks.ts'

export interface DataTableProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  /** On click or Enter. */
  readonly onOpen?: (row: Row) => void
  /** Identifies filters and sorting. A new value scrolls to the top. */
  readonly listed?: string
  /** Nothing is loaded yet. */
  readonly isPending?: boolean
  /** On key `c`: shows more without leaving the table. */
  readonly onPeek?: (row: Row) => void
  /** Including rows that are not loaded; undefined until known. */
  readonly total: number | undefined
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  /** The next rows failed to load. Retried on request only. */
  readonly isMoreRefused: boolean
  readonly onMore: () => Promise<void>
  /** Number of new rows that are too many to insert; 0 if none. */
  readonly missed: number
  /** Reloads the list from the start. */
  readonly onBegin: () => void
  /** `created_at`, with `-` for descending. */
  readonly sort?: string
  readonly onSort?: (sort: string) => void
  readonly selection?: Selection
  /** Shown if there are no rows. */
  readonly empty: ReactNode
}

/** How many rows before the end the next page is loaded. */
const rowsAhead = 50

/** A virtual table: only the visible rows are in the document. Arrow keys, Page Up, Page Down, Home, End and Enter work in it, and `j`, `k`, `x`. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, idOf, onOpen, onPeek, missed, selection, isPending } = props
  const isNarrow = useIsNarrow()
  const columns = useMemo(
    () => (isNarrow ? props.columns.filter(({ isExtra }) => isExtra !== true) : props.columns),
    [isNarrow, props.columns],
  )
  const viewport = useRef<HTMLDivElement>(null)
  const isMore = useHasMoreColumns(viewport)
  const ids = useMemo(() => rows.map(idOf), [rows, idOf])
  const entry = useEntryRow(viewport, ids)
  const virtual = useVisibleRows(props, viewport, entry)
  const arrivals = useArrivals({ viewport, ids, rowHeight, listed: props.listed ?? '' })
  const isChosen = selection !== undefined && selection.ids.size > 0
  const restart = useRestart({ viewport, missed, isChosen, onBegin: props.onBegin })
  const focusRow = useStableCallback((index: number) => {
    if (rows.length === 0) return
    const target = Math.max(0, Math.min(rows.length - 1, index))
    virtual.scrollToIndex(target)
    entry.focus(target)
  })
  const actions = useRowActions(props, viewport, focusRow)
  useListKeys(() => focusRow(entry.index))
  const template = [...(selection ? ['20px'] : []), ...columns.map(({ width }) => width)].join(' ')
  const shortcuts = ['Enter', 'j', 'k', ...(selection ? ['Space', 'x'] : []), ...(onPeek ? ['c'] : [])].join(
    ' ',
  )
  return (
    <div className="data-table-frame" data-more={isMore}>
      {(missed > 0 || arrivals.unseen > 0) && (
        <button type="button" className="data-table-arrivals" onClick={missed > 0 ? restart : arrivals.show}>
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
        aria-rowcount={rowCount(rows.length, props.hasMore, props.total)}
      >
        <div className="data-table-inner" data-chooses={selection !== undefined}>
          <TableHead {...props} columns={columns} ids={ids} template={template} />
          <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
            {virtual.getVirtualItems().map(({ index, key, start }) => {
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
                  isEntry={index === entry.index}
                  onFocus={entry.set}
                  {...actions}
                />
              )
            })}
          </div>
          <TableEnd {...props} />
        </div>
      </div>
    </div>
  )
}

type EntryRow = ReturnType<typeof useEntryRow>
type Viewport = RefObject<HTMLDivElement | null>

/** The visible rows. Loads the next page near the end. */
function useVisibleRows<Row>(
  { rows, idOf, hasMore, isLoadingMore, isMoreRefused, onMore }: DataTableProps<Row>,
  viewport: Viewport,
  entry: EntryRow,
) {
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : idOf(row)
    },
    overscan: 12,
    initialOffset: useScrollPosition(viewport),
    rangeExtractor: (range) => entry.with(defaultRangeExtractor(range)),
  })
  const last = virtual.getVirtualItems().at(-1)?.index ?? -1
  useEffect(() => {
    if (hasMore && !isLoadingMore && !isMoreRefused && last >= rows.length - rowsAhead) void onMore()
  }, [hasMore, isLoadingMore, isMoreRefused, last, onMore, rows.length])
  return virtual
}

interface TableHeadProps<Row> extends DataTableProps<Row> {
  readonly ids: readonly string[]
  readonly template: string
}

/** The column titles, and the placeholder for missing rows. */
function TableHead<Row>({
  ids,
  template,
  columns,
  isPending = false,
  selection,
  ...props
}: TableHeadProps<Row>) {
  return (
    <>
      <div className="data-table-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
        {selection && <SelectAll ids={ids} selection={selection} />}
        {columns.map((column) => (
          <ColumnTitle key={column.title} column={column} sort={props.sort} onSort={props.onSort} />
        ))}
      </div>
      {isPending && <TableSkeleton template={template} columns={columns.length + (selection ? 1 : 0)} />}
      {!isPending && ids.length === 0 && (
        <div role="row">
          <div role="gridcell" className="data-table-empty">
            {props.empty}
          </div>
        </div>
      )}
    </>
  )
}

function TableEnd<Row>({ hasMore, isLoadingMore, isMoreRefused, onMore }: DataTableProps<Row>) {
  if (isLoadingMore)
    return (
      <Text c="dimmed" size="sm" p="xs">
        <Loader size={12} mr={6} /> Loading more
      </Text>
    )
  if (!hasMore || !isMoreRefused) return null
  return (
    <div role="row">
      <Text role="gridcell" c="dimmed" size="sm" p="xs">
        Could not load more rows.{' '}
        <Button size="compact-xs" variant="default" onClick={() => void onMore()}>
          Try again
        </Button>
      </Text>
    </div>
  )
}

function SelectAll({ ids, selection }: { readonly ids: readonly string[]; readonly selection: Selection }) {
  const isAll = ids.length > 0 && ids.every((id) => selection.ids.has(id))
  return (
    <label role="columnheader" className="data-table-choice">
      <input
        type="checkbox"
        aria-label="Select all loaded rows"
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = !isAll && selection.ids.size > 0
        }}
        onChange={() => selection.onChange(new Set(isAll ? [] : ids))}
      />
    </label>
  )
}

interface ColumnTitleProps<Row> {
  readonly column: Column<Row>
  readonly sort: string | undefined
  readonly onSort: ((sort: string) => void) | undefined
}

function ColumnTitle<Row>({ column: { title, sort: name, isNumber }, sort, onSort }: ColumnTitleProps<Row>) {
  if (name === undefined || onSort === undefined)
    return (
      <div role="columnheader" className="data-table-cell" data-number={isNumber}>
        {title}
      </div>
    )
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined
  const Arrow = direction === 'ascending' ? ChevronUpIcon : ChevronDownIcon
  return (
    <div role="columnheader" data-number={isNumber} aria-sort={direction ?? 'none'}>
      <button
        type="button"
        className="data-table-sort"
        onClick={() => onSort(direction === 'descending' ? name : `-${name}`)}
      >
        {title}
        <Arrow data-sorted={direction !== undefined} />
      </button>
    </div>
  )
}
