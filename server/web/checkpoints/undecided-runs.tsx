import { Anchor, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Page, Run } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { Section } from '../parts/section.tsx'
import { When } from '../parts/time/when.tsx'

const shown = 20

/** Runs that wait because of a step with unknown outcome: the process ended during the call, or the call ended without saying. */
export function useUndecided(organization?: string) {
  const poll = usePollMs()
  return useQuery({
    queryKey: ['list', '/runs', 'undecided', organization],
    queryFn: () =>
      get<Page<Run>>('/runs', { waits_for: 'decision', sort: 'created_at', limit: shown, organization }),
    refetchInterval: poll(10_000),
  })
}

export function UndecidedRuns({ organization }: { readonly organization: string | undefined }) {
  const { data, error } = useUndecided(organization)
  if (data === undefined) return error === null ? null : <Refusal error={error} />
  if (data.total === 0) return null
  return (
    <Section title="Steps with unknown outcome" count={data.total}>
      <List size="sm" listStyleType="none" spacing={6}>
        {data.data.map((run) => (
          <List.Item key={run.run_uuid}>
            <Anchor component={Link} href={`/runs/${run.run_uuid}`} size="sm" underline="always">
              {run.playbook}
            </Anchor>{' '}
            {run.alert_id !== null && <>for {run.alert_id.toUpperCase()} </>}
            in {run.organization_code}, started <When at={run.started_at} />
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
