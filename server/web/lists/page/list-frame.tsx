import './list-page.css'
import { Alert, Group, List, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import { Refusal } from '../../parts/states/refusal.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { ViewHead } from '../../shell/view/view-head.tsx'
import { ClearFilters } from '../filters/clear-filters.tsx'
import { wrongFilters } from '../filters/wrong-filters.ts'

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
      {list.error !== null && <ListRefusal error={list.error} onRetry={() => void list.refetch()} />}
      {children}
    </div>
  )
}

interface ListRefusalProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** Why the list could not be read; a filter that is none is as wrong at the next try. */
function ListRefusal({ error, onRetry }: ListRefusalProps) {
  const [params] = useSearchParams()
  const wrong = wrongFilters(error, params)
  if (wrong.length === 0)
    return (
      <Refusal error={error} onRetry={onRetry}>
        <ClearFilters />
      </Refusal>
    )
  return (
    <Alert color="red" title="These filters cannot be used" role="alert">
      <List size="sm" my={4}>
        {wrong.map((text) => (
          <List.Item key={text} className="outside-text">
            {showInvisible(text)}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={4}>
        Choose something else there, or clear it.
      </Text>
      <Group mt="sm">
        <ClearFilters />
      </Group>
    </Alert>
  )
}
