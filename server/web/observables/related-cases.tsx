import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiRelatedCase } from '../api/types.ts'
import { TextLink } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { CaseState, SeverityLevel, VerdictBadge } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'
import { ObservableValue } from './observable-parts.tsx'

/** Other cases with the same observables; nothing if there are none. */
export function RelatedCases({ path }: { readonly path: string }) {
  const related = useQuery({
    queryKey: ['related cases', path],
    queryFn: () => apiGet<{ readonly data: readonly ApiRelatedCase[] }>(`${path}/related`),
    staleTime: 30_000,
  })
  const rows = related.data?.data ?? []
  if (rows.length === 0) return null
  return (
    <SmallTable
      title="Related cases"
      count={rows.length}
      rows={rows}
      columns={columns}
      idOf={({ case_id: id }) => id}
      empty="No related cases"
      className="related-cases"
    />
  )
}

const columns: readonly SmallColumn<ApiRelatedCase>[] = [
  {
    title: 'Case',
    cell: ({ case_id: id, title, severity, verdict, status, created_at: at }) => (
      <>
        <Group gap="2px 10px">
          <TextLink href={`/cases/${id}`} isStrong>
            {id.toUpperCase()}
          </TextLink>
          <SeverityLevel severity={severity} />
          <VerdictBadge verdict={verdict} />
          <CaseState status={status} />
        </Group>
        <Text size="sm" className="outside-text">
          {showInvisible(title)}
        </Text>
        <Text size="xs" c="dimmed">
          Opened <DateTime at={at} ago />
        </Text>
      </>
    ),
  },
  {
    title: 'Shared observables',
    cell: ({ shared, shared_total: total }) => {
      // A mailbox is often also a user.
      const values = [...new Map(shared.map((each) => [each.value, each])).values()]
      return (
        <>
          {values.map((each) => (
            <ObservableValue key={each.value} named={each} />
          ))}
          {total > shared.length && (
            <Text size="xs" c="dimmed">
              {(total - shared.length).toLocaleString()} more
            </Text>
          )}
        </>
      )
    },
  },
]
