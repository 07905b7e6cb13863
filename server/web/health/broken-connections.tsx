import { Anchor } from '@mantine/core'
import { Link2Icon } from '@radix-ui/react-icons'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { ConnectionState } from '../connections/connection-state.tsx'
import type { Connection } from '../connections/connection.ts'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { SmallTable } from './small-table.tsx'

/** Connections that cannot be used any more, or soon will not be: steps that need them fail. */
export function BrokenConnections() {
  const connections = useQuery({
    queryKey: ['connection', 'remarks'],
    queryFn: () => get<Page<Connection>>('/connections', { limit: 200 }),
    refetchInterval: 30_000,
  })
  const found = connections.data?.data.filter(
    ({ broken, warnings }) => broken !== null || warnings.length > 0,
  )
  return (
    <SmallTable
      title="Connection problems"
      icon={Link2Icon}
      empty={found === undefined ? 'Loading …' : 'None'}
      columns={['Connection', 'State', 'Reason']}
      rows={(found ?? []).map((connection) => [
        <Anchor
          key="name"
          component={Link}
          href={`/connections/${connection.connection_uuid}`}
          size="sm"
          fw={600}
        >
          {showInvisible(connection.name)}
        </Anchor>,
        <ConnectionState key="state" connection={connection} />,
        <span key="why" className="outside-text">
          {showInvisible(connection.broken?.reason ?? connection.warnings[0]?.reason ?? '')}
        </span>,
      ])}
    />
  )
}
