import type { ComponentType, ReactNode } from 'react'
import { Alert, Group, List, Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { Query } from '../api/call.ts'
import { Empty } from '../parts/layout.tsx'
import { ClearFilters } from './filters.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { useColumns } from './columns/columns-menu.tsx'
import { SavedMenu } from './saved/saved-menu.tsx'
import type { SharedView } from '../../../core/ports/access/shared-filter-store.ts'
import { useList } from './use-list.ts'
import './lists.css'
import { ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { ViewHead } from '../shell/view.tsx'
import { invalidFilters } from './use-filters.ts'

interface ListPageProps<Row> extends Pick<
  DataTableProps<Row>,
  'columns' | 'idOf' | 'onOpen' | 'sort' | 'onSort' | 'selection' | 'empty'
> {
  readonly title: string
  /** Path of the list in the API, e.g. `/cases`. */
  readonly path: string
  readonly query?: Query
  /** Translates the query for the API, after time spans were replaced by times. A constant function. */
  readonly toApi?: (query: Query) => Query
  readonly filters?: ReactNode
  /** The view whose filters can be saved and shared. Default: none. */
  readonly savedAs?: SharedView
  readonly actions?: ReactNode
  readonly icon?: ComponentType<{ readonly width?: number; readonly height?: number }>
}

/** A view with one list: title, total, filters and table. */
export function ListView<Row>(props: ListPageProps<Row>) {
  const { title, path, query, toApi, filters, savedAs, actions, empty, icon, columns, ...table } = props
  const list = useList<Row>({ path, idOf: table.idOf, ...(query && { query }), ...(toApi && { toApi }) })
  const { shown, menu } = useColumns(path.slice(1), columns)
  return (
    <ListFrame
      title={title}
      list={list}
      filters={
        <Group gap="xs">
          {filters}
          {savedAs && <SavedMenu view={savedAs} />}
          {menu}
        </Group>
      }
      actions={actions}
    >
      <DataTable
        {...table}
        columns={shown}
        {...list.more}
        label={title}
        rows={list.rows}
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

interface ListFrameProps {
  readonly title: string
  readonly list: { readonly total: number | undefined; readonly error: unknown; refetch(): unknown }
  readonly filters?: ReactNode
  readonly actions?: ReactNode
  /** The table. */
  readonly children: ReactNode
}

/** The frame of a list: title, total, filters and errors. */
export function ListFrame({ title, list, filters, actions, children }: ListFrameProps) {
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
      {list.error !== null && <ListRefusal error={list.error} onRetry={() => void list.refetch()} />}
      {children}
    </div>
  )
}

interface ListRefusalProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** Errors of a list. Retrying does not help with invalid filters. */
function ListRefusal({ error, onRetry }: ListRefusalProps) {
  const [params] = useSearchParams()
  const wrong = invalidFilters(error, params)
  if (wrong.length === 0)
    return (
      <ErrorAlert error={error} onRetry={onRetry}>
        <ClearFilters />
      </ErrorAlert>
    )
  return (
    <Alert color="red" title="Invalid filters" role="alert">
      <List size="sm" my={4}>
        {wrong.map((text) => (
          <List.Item key={text} className="outside-text">
            {showInvisible(text)}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={4}>
        Change or clear these filters.
      </Text>
      <Group mt="sm">
        <ClearFilters />
      </Group>
    </Alert>
  )
}
