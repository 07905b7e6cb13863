import { memo, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react'
import { breakable } from '../../parts/json/breakable.tsx'
import type { Column } from './column.ts'

/** What can be done with a row; the same functions for as long as the table is there. */
export interface RowActions<Row> {
  readonly onOpen: (row: Row) => void
  readonly onKey: (event: KeyboardEvent<HTMLElement>, index: number, row: Row) => void
  readonly onToggle: (id: string) => void
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
  /** Undefined where rows cannot be chosen. */
  readonly isChosen: boolean | undefined
  readonly opens: boolean
  /** The tabulator key leads to it. */
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
            aria-label={`Choose ${id}`}
            checked={isChosen}
            onChange={() => props.onToggle(id)}
          />
        </label>
      )}
      {columns.map(({ title, cell, isNumber }) => (
        <Cell key={title} content={cell(row)} isNumber={isNumber} />
      ))}
    </div>
  )
}

/** A click on the row itself: none on what it holds, none that asks for another tab, and none that ends the choice of a text. */
function isMeant({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  if (ctrlKey || metaKey || shiftKey || getSelection()?.isCollapsed === false) return false
  return target instanceof Element && target.closest('a, button, input, label') === null
}

/** One row; drawn anew only where something about it changed, since scrolling draws the table many times a second. */
export const DataRow = memo(DataRowOnce) as typeof DataRowOnce

interface CellProps {
  readonly content: ReactNode
  readonly isNumber: boolean | undefined
}

/** What is cut off can be read in the tooltip. */
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
