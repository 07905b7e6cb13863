import { Anchor } from '@mantine/core'
import { CheckIcon } from '@radix-ui/react-icons'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Page, Run } from '../api/types.ts'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { Time } from '../parts/time/times.tsx'
import { SmallTable } from './small-table.tsx'

/** The newest runs that failed, and why. */
export function LastErrors() {
  const failed = useQuery({
    queryKey: ['last-errors'],
    queryFn: () => get<Page<Run>>('/runs', { status: 'failed', limit: 6 }),
    refetchInterval: 10_000,
  })
  return (
    <SmallTable
      title="Last errors"
      icon={CheckIcon}
      empty={failed.isPending ? 'Loading …' : 'No failed runs'}
      columns={['Playbook', 'Reason', 'Alert', 'When']}
      rows={(failed.data?.data ?? []).map((run) => [
        <Anchor key="run" component={Link} href={`/runs/${run.run_uuid}`} size="sm" fw={600}>
          {run.playbook}
        </Anchor>,
        <span key="why" className="outside-text">
          {showInvisible(run.error?.message ?? '')}
        </span>,
        run.alert_id !== null && (
          <Anchor key="alert" component={Link} href={`/alerts/${run.alert_id}`} size="sm">
            {run.alert_id.toUpperCase()}
          </Anchor>
        ),
        <Time key="when" at={run.ended_at} ago />,
      ])}
    />
  )
}
