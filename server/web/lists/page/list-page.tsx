import type { ComponentType, ReactNode } from 'react'
import type { Query } from '../../api/call.ts'
import { Empty } from '../../parts/states/empty.tsx'
import { ClearFilters } from '../filters/clear-filters.tsx'
import { DataTable, type Selection } from '../table/data-table.tsx'
import { ListFrame } from './list-frame.tsx'
import { useList } from '../rows/use-list.ts'
import type { Column } from '../table/column.ts'

interface ListPageProps<Row> {
  readonly title: string
  /** Of the list in the API, e.g. `/cases`. */
  readonly path: string
  readonly query?: Query
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  readonly sort?: string
  readonly onSort?: (sort: string) => void
  readonly selection?: Selection
  readonly filters?: ReactNode
  readonly actions?: ReactNode
  /** Shown where there are no rows. */
  readonly empty: ReactNode
  readonly icon?: ComponentType<{ readonly width?: number; readonly height?: number }>
}

/** A view that is one list: its title, how many there are, filters, and the table. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, path, query, columns, idOf, onOpen, sort, onSort, filters, actions, empty, icon } = props
  const list = useList<Row>({ path, idOf, ...(query && { query }) })
  return (
    <ListFrame title={title} list={list} filters={filters} actions={actions}>
      <DataTable
        label={title}
        rows={list.rows}
        columns={columns}
        idOf={idOf}
        {...list.more}
        {...(onOpen && { onOpen })}
        {...(sort !== undefined && { sort })}
        {...(onSort && { onSort })}
        {...(props.selection && { selection: props.selection })}
        listed={JSON.stringify(query ?? {})}
        isPending={list.isPending}
        empty={
          list.error === null && (
            <Empty {...(icon && { icon })} action={<ClearFilters />}>
              {empty}
            </Empty>
          )
        }
      />
    </ListFrame>
  )
}
