import { CheckIcon, Link2Icon } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiConnection, ApiPage, ApiRun } from '../api/types.ts'
import { ConnectionState } from '../connections/connection-parts.tsx'
import { FixLinks } from '../parts/feedback.tsx'
import { fixLinks } from '../parts/fix-links.ts'
import { TextLink } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { SmallTable } from '../parts/small-table.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { DateTime } from '../parts/times.tsx'
import { useMay } from '../session/session.ts'

export const AlertLink = ({ id }: { readonly id: string }) => (
  <TextLink href={`/alerts/${id}`}>{id.toUpperCase()}</TextLink>
)

interface ProblemsProps {
  /** Nothing instead of an empty table. */
  readonly isShort?: boolean
}

/** The newest failed runs. */
export function LastErrors({ isShort = false }: ProblemsProps) {
  const mayConnect = useMay('connections:write')
  const failed = useQuery({
    queryKey: ['last-errors'],
    queryFn: () => apiGet<ApiPage<ApiRun>>('/runs', { status: 'failed', limit: 6 }),
    refetchInterval: 10_000,
  })
  if (isShort && failed.data?.data.length === 0) return null
  return (
    <SmallTable
      isStacked
      title="Last errors"
      icon={CheckIcon}
      empty={failed.isPending ? 'Loading …' : 'No failed runs'}
      rows={failed.data?.data ?? []}
      idOf={(run) => run.run_uuid}
      columns={[
        {
          title: 'Playbook',
          cell: (run) => (
            <TextLink href={`/runs/${run.run_uuid}`} isStrong>
              {run.playbook}
            </TextLink>
          ),
        },
        {
          title: 'Reason',
          cell: ({ error, organization_code: organization }) =>
            error && (
              <>
                <OutsideText text={error.message} />
                <FixLinks links={mayConnect ? fixLinks(error, organization) : []} />
              </>
            ),
        },
        { title: 'Alert', cell: (run) => run.alert_id !== null && <AlertLink id={run.alert_id} /> },
        { title: 'When', isNarrow: true, cell: (run) => <DateTime at={run.ended_at} ago /> },
      ]}
    />
  )
}

/** Connections with errors or warnings. */
export function BrokenConnections({ isShort = false }: ProblemsProps) {
  const connections = useQuery({
    queryKey: ['connection', 'remarks'],
    queryFn: () => apiGet<ApiPage<ApiConnection>>('/connections', { limit: 200 }),
    refetchInterval: 30_000,
  })
  const found = connections.data?.data.filter(
    ({ broken, warnings }) => broken !== null || warnings.length > 0,
  )
  if (isShort && found?.length === 0) return null
  return (
    <SmallTable
      isStacked
      title="Connection problems"
      icon={Link2Icon}
      empty={found === undefined ? 'Loading …' : 'None'}
      rows={(found ?? []).toSorted((a, b) => Number(b.broken !== null) - Number(a.broken !== null))}
      idOf={(connection) => connection.connection_uuid}
      columns={[
        {
          title: 'Connection',
          cell: (connection) => (
            <TextLink href={`/connections/${connection.connection_uuid}`} isStrong>
              {showInvisible(connection.name)}
            </TextLink>
          ),
        },
        { title: 'State', cell: (connection) => <ConnectionState connection={connection} /> },
        {
          title: 'Reason',
          cell: ({ broken, warnings }) => <OutsideText text={broken?.reason ?? warnings[0]?.reason ?? ''} />,
        },
      ]}
    />
  )
}
