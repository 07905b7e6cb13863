import './list-page.css'
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Refusal } from '../parts/refusal.tsx'
import { ViewHead } from '../shell/view-head.tsx'
import { ClearFilters } from './clear-filters.tsx'

interface ListFrameProps {
  readonly title: string
  readonly list: { readonly total: number | undefined; readonly error: unknown; refetch(): unknown }
  readonly filters?: ReactNode
  readonly actions?: ReactNode
  /** The table. */
  readonly children: ReactNode
}

/** What stands around a table: its title, how many there are, filters, and why it could not be read. */
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
      {list.error !== null && (
        <Refusal error={list.error} onRetry={() => void list.refetch()}>
          <ClearFilters />
        </Refusal>
      )}
      {children}
    </div>
  )
}
