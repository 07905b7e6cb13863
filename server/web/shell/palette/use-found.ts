import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { get, type Query } from '../../api/call.ts'
import type { Alert, Case, Page } from '../../api/types.ts'
import type { Connection } from '../../connections/connection.ts'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import type { Playbook } from '../../playbooks/playbook.ts'
import type { TargetGroup } from './targets.ts'

/** Of each kind: who does not find it among them types more of it. */
const shown = 5

/** What the API knows by these words, once somebody stops typing. */
export function useFound(query: string): readonly TargetGroup[] {
  const [words] = useDebouncedValue(query.trim().slice(0, 200), 200)
  const cases = useSome<Case>('/cases', words, { q: words })
  const alerts = useSome<Alert>('/alerts', words, { q: words })
  const playbooks = useSome<Playbook>('/playbooks', words, { q: words })
  // Few there are, and the API does not search them.
  const connections = useSome<Connection>('/connections', words, { limit: 200 })
  const wanted = words.toLowerCase()
  return [
    {
      label: 'Alerts',
      targets: alerts.map(({ alert_id: id, alert_type: type }) => ({
        label: `${id.toUpperCase()} ${showInvisible(type ?? '')}`,
        to: `/alerts/${id}`,
      })),
    },
    {
      label: 'Cases',
      targets: cases.map(({ case_id: id, title }) => ({
        label: `${id.toUpperCase()} ${showInvisible(title)}`,
        to: `/cases/${id}`,
      })),
    },
    {
      label: 'Playbooks',
      targets: playbooks.flatMap(({ name }) => [
        { label: name, to: `/playbooks/${name}` },
        { label: `Runs of ${name}`, to: `/runs?${new URLSearchParams({ playbook: name }).toString()}` },
      ]),
    },
    {
      label: 'Connections',
      targets: connections
        .filter(({ name, plugin }) => `${name} ${plugin}`.toLowerCase().includes(wanted))
        .slice(0, shown)
        .map(({ connection_uuid: id, name }) => ({ label: name, to: `/connections/${id}` })),
    },
  ]
}

function useSome<Row>(path: string, words: string, query: Query): readonly Row[] {
  const found = useQuery({
    queryKey: ['found', path, query],
    queryFn: ({ signal }) => get<Page<Row>>(path, { limit: shown, ...query }, signal),
    enabled: words.length > 1,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
  return words.length > 1 ? (found.data?.data ?? []) : []
}
