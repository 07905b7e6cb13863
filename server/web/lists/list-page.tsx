import './list-page.css'
import { Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import type { Query } from '../api/call.ts'
import { Empty } from '../parts/empty.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { ViewHead } from '../shell/view-head.tsx'
import { DataTable, type Column, type Selection } from './data-table.tsx'
import { useList } from './use-list.ts'

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
  const list = useList<Row>({
    path,
    idOf,
    ...(query && { query }),
  })
  return (
    <div className="list-page">
      <ViewHead
        title={title}
        states={
          list.total !== undefined && (
            <Text c="dimmed" size="sm" aria-live="polite">
              {list.total.toLocaleString()}
            </Text>
          )
        }
        actions={actions}
      />
      {filters}
      {list.error !== null && <Refusal error={list.error} onRetry={() => void list.refetch()} />}
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
        empty={list.error !== null ? null : <Empty {...(icon && { icon })}>{empty}</Empty>}
      />
    </div>
  )
}
