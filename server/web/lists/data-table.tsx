import { Checkbox, Loader, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { TriangleDownIcon, TriangleUpIcon } from '@radix-ui/react-icons'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import './data-table.css'
import { TableSkeleton } from './table-skeleton.tsx'

export interface Column<Row> {
  readonly title: string
  /** Width as a track of a CSS grid, e.g. `minmax(120px, 1fr)`. */
  readonly width: string
  /** Name by which the API sorts it. */
  readonly sort?: string
  /** Numbers stand below each other, at the end. */
  readonly isNumber?: boolean
  /** Left out where the page is narrower than 62em. */
  readonly isExtra?: boolean
  readonly cell: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  /** What a click on a row, and Enter in it, does. */
  readonly onOpen?: (row: Row) => void
  /** Nothing is known yet. */
  readonly isPending?: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly onMore: () => void
  /** `created_at`, with `-` before it downwards. */
  readonly sort?: string
  readonly onSort?: (sort: string) => void
  readonly selection?: Selection
  /** Shown where there are no rows. */
  readonly empty: ReactNode
}

interface Selection {
  readonly ids: ReadonlySet<string>
  readonly onChange: (ids: ReadonlySet<string>) => void
}

const rowHeight = 40

/** A table of any length, of which only what is seen is in the page. Up, Down, Home, End and Enter work in it. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, idOf, onOpen, hasMore, isLoadingMore, onMore, selection, isPending } = props
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false })
  const columns = isNarrow ? props.columns.filter(({ isExtra }) => isExtra !== true) : props.columns
  const viewport = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : idOf(row)
    },
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - 20) onMore()
  }, [hasMore, isLoadingMore, last, onMore, rows.length])

  const template = [...(selection ? ['20px'] : []), ...columns.map(({ width }) => width)].join(' ')
  const focusRow = (index: number): void => {
    const target = Math.max(0, Math.min(rows.length - 1, index))
    virtual.scrollToIndex(target)
    requestAnimationFrame(() => {
      viewport.current?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus()
    })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number, row: Row): void => {
    if (event.target !== event.currentTarget) return
    const move = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (event.key === 'Enter') onOpen?.(row)
    else if (event.key === ' ' && selection !== undefined) toggle(selection, idOf(row))
    else if (move === undefined) return
    else focusRow(move)
    event.preventDefault()
  }
  return (
    <div
      ref={viewport}
      className="data-table"
      role="grid"
      aria-busy={isPending}
      data-pending={isPending}
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
    >
      <div className="data-table-inner">
        <div
          className="data-table-head"
          role="row"
          aria-rowindex={1}
          style={{ gridTemplateColumns: template }}
        >
          {selection && <SelectAll ids={rows.map(idOf)} selection={selection} />}
          {columns.map((column) => (
            <Head key={column.title} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
        </div>
        {isPending === true && (
          <TableSkeleton template={template} columns={columns.length + (selection ? 1 : 0)} />
        )}
        {isPending !== true && rows.length === 0 && <div className="data-table-empty">{props.empty}</div>}
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index]
            if (row === undefined) return null
            const isSelected = selection?.ids.has(idOf(row)) === true
            return (
              // eslint-disable-next-line jsx-a11y/interactive-supports-focus -- it has a tabIndex
              <div
                key={key}
                role="row"
                tabIndex={index === 0 ? 0 : -1}
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={selection && isSelected}
                className="data-table-row"
                style={{
                  gridTemplateColumns: template,
                  transform: `translateY(${start}px)`,
                  height: rowHeight,
                }}
                onClick={() => onOpen?.(row)}
                data-opens={onOpen !== undefined}
                onKeyDown={(event) => onKeyDown(event, index, row)}
              >
                {selection && (
                  <div role="gridcell" onClick={(event) => event.stopPropagation()}>
                    <Checkbox
                      size="xs"
                      tabIndex={-1}
                      aria-label={`Choose ${idOf(row)}`}
                      checked={isSelected}
                      onChange={() => toggle(selection, idOf(row))}
                    />
                  </div>
                )}
                {columns.map(({ title, cell, isNumber }) => (
                  <Cell key={title} content={cell(row)} isNumber={isNumber} />
                ))}
              </div>
            )
          })}
        </div>
        {isLoadingMore && (
          <Text c="dimmed" size="sm" p="xs">
            <Loader size={12} mr={6} /> Loading more
          </Text>
        )}
      </div>
    </div>
  )
}

/** What is cut off can be read in the tooltip. */
function Cell({
  content,
  isNumber,
}: {
  readonly content: ReactNode
  readonly isNumber: boolean | undefined
}) {
  return (
    <div
      role="gridcell"
      className="data-table-cell"
      data-number={isNumber}
      {...(typeof content === 'string' && { title: content })}
    >
      {content}
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
    <div role="columnheader">
      <Checkbox
        size="xs"
        aria-label="Choose all that are loaded"
        checked={isAll}
        indeterminate={!isAll && selection.ids.size > 0}
        onChange={() => selection.onChange(new Set(isAll ? [] : ids))}
      />
    </div>
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
