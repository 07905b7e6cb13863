import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiPage, ApiRun } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Section, TextLink } from '../parts/layout.tsx'
import { TableTime } from '../parts/times.tsx'

const shown = 20

/** Runs that wait for a decision about a step with unknown outcome. */
export function useUndecided(organization?: string) {
  const poll = usePollMs()
  return useQuery({
    queryKey: ['list', '/runs', 'undecided', organization],
    queryFn: () =>
      apiGet<ApiPage<ApiRun>>('/runs', {
        waits_for: 'decision',
        sort: 'created_at',
        limit: shown,
        organization,
      }),
    refetchInterval: poll(10_000),
  })
}

export function UndecidedRuns({ organization }: { readonly organization: string | undefined }) {
  const { data, error } = useUndecided(organization)
  if (data === undefined) return error === null ? null : <ErrorAlert error={error} />
  if (data.total === 0) return null
  return (
    <Section title="Steps with unknown outcome" count={data.total}>
      <List size="sm" listStyleType="none" spacing={6}>
        {data.data.map((run) => (
          <List.Item key={run.run_uuid}>
            <TextLink href={`/runs/${run.run_uuid}`} isUnderlined>
              {run.playbook}
            </TextLink>{' '}
            {run.alert_id !== null && <>for {run.alert_id.toUpperCase()} </>}
            in {run.organization_code}, started <TableTime at={run.started_at} />
          </List.Item>
        ))}
      </List>
      {data.total > shown && (
        <Text size="sm" c="dimmed">
          {data.total - shown} more
        </Text>
      )}
    </Section>
  )
}
