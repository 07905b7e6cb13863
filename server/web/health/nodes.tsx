import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { apiGet } from '../api/call.ts'
import type { ApiNode, ApiNodes } from '../api/types.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { SmallTable } from '../parts/small-table.tsx'
import { StateBadge } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'

/** The servers on the same data, and whether they are alive. */
export function Nodes() {
  const nodes = useQuery({
    queryKey: ['nodes'],
    queryFn: () => apiGet<ApiNodes>('/nodes'),
    refetchInterval: 5_000,
  })
  if (nodes.data === undefined) return null
  return (
    <>
      <WaitingForNewer {...nodes.data} />
      <OtherSettings nodes={nodes.data.data} />
      <NodeTable nodes={nodes.data.data} />
    </>
  )
}

/** An older node in a mixed cluster does not tell. */
function WaitingForNewer({ waiting_for_newer: waiting = [] }: Partial<ApiNodes>) {
  if (waiting.length === 0) return null
  const newest = waiting.at(-1)?.version ?? ''
  const runs = waiting.reduce((sum, each) => sum + each.runs, 0)
  return (
    <Alert color="red" title="Runs wait for a newer Tocsin" w="100%">
      {runs === 1 ? '1 run' : `${runs.toLocaleString()} runs`} cannot continue on these nodes: a newer version
      had {runs === 1 ? 'it' : 'them'} last. Start a node with Tocsin {showInvisible(newest)} or later.
    </Alert>
  )
}

/** An older node does not tell. */
function OtherSettings({ nodes }: { readonly nodes: readonly Partial<ApiNode>[] }) {
  const differing = nodes.filter(({ other_settings: others = [] }) => others.length > 0)
  if (differing.length === 0) return null
  return (
    <Alert color="orange" title="Nodes have different settings" w="100%">
      {differing.map(({ node_id: id, name = '', other_settings: others = [] }) => (
        <Text key={id} size="sm" className="outside-text">
          {showInvisible(`${name}: ${others.join(', ')}`)}
        </Text>
      ))}
      Set the same on all nodes: which node acts decides what applies.
    </Alert>
  )
}

function NodeTable({ nodes }: { readonly nodes: readonly ApiNode[] }) {
  return (
    <SmallTable
      isStacked
      title="Nodes"
      empty="No nodes"
      rows={nodes}
      idOf={(node) => node.node_id}
      columns={[
        {
          title: 'Node',
          cell: (node) => (
            <div>
              <span className="outside-text">{showInvisible(node.name)}</span>{' '}
              <StateBadge {...badgeOf(node)} />
              <Text size="xs" c="dimmed">
                {showInvisible(node.version)}
              </Text>
            </div>
          ),
        },
        { title: 'Since', cell: (node) => <Since node={node} /> },
        {
          title: 'Lease',
          isNumber: true,
          cell: ({ lease_ms: ms }) => ms !== null && `${(ms / 1000).toFixed(1)} s`,
        },
        { title: 'Runs', isNumber: true, cell: (node) => node.runs?.toLocaleString() },
        { title: 'Queued', isNumber: true, cell: (node) => node.queued?.toLocaleString() },
        {
          title: 'CPU',
          isNumber: true,
          cell: ({ cpu_percent: cpu }) => cpu !== null && `${cpu.toLocaleString()} %`,
        },
        {
          title: 'Memory',
          isNumber: true,
          cell: ({ memory_bytes: bytes }) => bytes !== null && megabytes(bytes),
        },
        { title: 'Last error', cell: (node) => <LastError node={node} /> },
      ]}
    />
  )
}

function badgeOf({ state, role, gone_reason: reason }: ApiNode) {
  if (state === 'late') return { text: 'Late', color: 'orange' } as const
  if (state === 'gone')
    return reason === 'lost'
      ? ({ text: 'Lost', color: 'red' } as const)
      : ({ text: 'Stopped', color: 'gray' } as const)
  if (role === 'draining') return { text: 'Draining', color: 'orange' } as const
  return role === 'standby'
    ? ({ text: 'Standby', color: 'blue' } as const)
    : ({ text: 'Active', color: 'green' } as const)
}

function Since({ node }: { readonly node: ApiNode }) {
  if (node.gone_at === null) return <DateTime at={node.started_at} ago />
  return (
    <Text size="sm">
      gone <DateTime at={node.gone_at} ago />
    </Text>
  )
}

function LastError({ node: { last_error: error } }: { readonly node: ApiNode }) {
  if (error === null) return null
  return (
    <Text size="xs" className="outside-text">
      {showInvisible(error.message)} · <DateTime at={error.at} ago />
    </Text>
  )
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576).toLocaleString()} MB`
