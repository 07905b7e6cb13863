import { memo, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'
import { Link } from 'wouter'
import { breakable } from '../parts/text-view.tsx'

/** Actions of a row, as stable functions. */
export interface RowActions<Row> {
  readonly onOpen: (row: Row) => void
  readonly onKey: (event: KeyboardEvent<HTMLElement>, index: number, row: Row) => void
  /** `extend`: selects all rows from the last one on. */
  readonly onToggle: (id: string, extend: boolean) => void
  readonly onFocus: (id: string) => void
}

interface DataRowProps<Row> extends RowActions<Row> {
  readonly row: Row
  readonly id: string
  readonly index: number
  /** Pixels from the top of the table. */
  readonly start: number
  readonly height: number
  /** Tracks of the CSS grid. */
  readonly template: string
  readonly columns: readonly Column<Row>[]
  /** Undefined if rows cannot be selected. */
  readonly isChosen: boolean | undefined
  readonly opens: boolean
  /** Tab moves the focus to this row. */
  readonly isEntry: boolean
  readonly shortcuts: string
}

function DataRowOnce<Row>(props: DataRowProps<Row>) {
  const { row, id, index, start, height, template, columns, isChosen, opens, isEntry, shortcuts } = props
  return (
    // eslint-disable-next-line jsx-a11y/interactive-supports-focus -- it has a tabIndex
    <div
      role="row"
      tabIndex={isEntry ? 0 : -1}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      aria-keyshortcuts={shortcuts}
      className="data-table-row"
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)`, height }}
      onClick={(event) => isMeant(event) && props.onOpen(row)}
      onFocus={() => props.onFocus(id)}
      data-opens={opens}
      onKeyDown={(event) => props.onKey(event, index, row)}
    >
      {isChosen !== undefined && (
        <label className="data-table-choice" role="gridcell">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${id}`}
            checked={isChosen}
            onChange={({ nativeEvent }) => props.onToggle(id, hasShift(nativeEvent))}
          />
        </label>
      )}
      {columns.map(({ title, cell, isNumber }) => (
        <Cell key={title} content={cell(row)} isNumber={isNumber} />
      ))}
    </div>
  )
}

const hasShift = (event: Event): boolean => event instanceof globalThis.MouseEvent && event.shiftKey

/** Ignores clicks on links and buttons in the row, with modifier keys, and at the end of a text selection. */
function isMeant({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  if (ctrlKey || metaKey || shiftKey || getSelection()?.isCollapsed === false) return false
  return target instanceof Element && target.closest('a, button, input, label') === null
}

/** One row. Memoized, because scrolling renders the table many times a second. */
export const DataRow = memo(DataRowOnce) as typeof DataRowOnce

interface CellProps {
  readonly content: ReactNode
  readonly isNumber: boolean | undefined
}

/** The tooltip shows text that is cut off. */
function Cell({ content, isNumber }: CellProps) {
  if (typeof content !== 'string')
    return (
      <div role="gridcell" className="data-table-cell" data-number={isNumber}>
        {content}
      </div>
    )
  return (
    <div role="gridcell" className="data-table-cell" data-number={isNumber} title={content}>
      <span className="data-table-text">{breakable(content)}</span>
    </div>
  )
}

interface RowLinkProps {
  readonly href: string
  readonly text: string
  /** The link opens the same page as a click on the row. */
  readonly isMain?: boolean
  /** Within text. */
  readonly isInline?: boolean
}

/** A link in a row. Long text wraps once, and the tooltip shows all of it. */
export function RowLink({ href, text, isMain, isInline = false }: RowLinkProps) {
  const className = isInline ? 'row-link' : 'row-link data-table-text'
  return (
    <Link href={href} className={className} data-main={isMain} title={text} tabIndex={-1}>
      {breakable(text)}
    </Link>
  )
}

/** Enough for a tall screen. */
const rows = Array.from({ length: 30 }, (_, index) => index)

interface TableSkeletonProps {
  readonly template: string
  readonly columns: number
}

/** Placeholder rows of the same height. Plain elements, because there are many. */
export function TableSkeleton({ template, columns }: TableSkeletonProps) {
  return (
    <div className="table-skeleton" aria-hidden>
      {rows.map((row) => (
        <div key={row} className="data-table-row" style={{ gridTemplateColumns: template }}>
          {Array.from({ length: columns }, (_, column) => (
            <span key={column} style={{ width: `${55 + ((row * 7 + column * 13) % 40)}%` }} />
          ))}
        </div>
      ))}
    </div>
  )
}

export interface Column<Row> {
  readonly title: string
  /** Track of a CSS grid, e.g. `minmax(120px, 1fr)`. */
  readonly width: string
  /** Sort name in the API. */
  readonly sort?: string
  /** Aligned at the end. */
  readonly isNumber?: boolean
  /** Hidden below a page width of 62em. */
  readonly isExtra?: boolean
  /** Hidden until the user chooses it. */
  readonly isOptional?: boolean
  readonly cell: (row: Row) => ReactNode
}
