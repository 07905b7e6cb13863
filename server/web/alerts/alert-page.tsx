import { Alert as MantineAlert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { apiCall, apiGet } from '../api/call.ts'
import type { ApiAlert, ApiRun } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { FieldGrid, PageLoading, TextLink } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { ObservableValue } from '../observables/observable-parts.tsx'
import { TextView } from '../parts/text-view.tsx'
import { ViewError, ViewTitle } from '../shell/view.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { AlertStatusBadge, SeverityLevel } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'
import { useIdempotencyKey } from '../forms/form-state.ts'
import { useNavigateWhileMounted } from '../parts/hooks.ts'
import { RunForAlert } from '../playbooks/run/run-button.tsx'
import { RunList } from '../runs/run-list.tsx'
import { useMay } from '../session/session.ts'
import { InvestigateDialog } from './investigate.tsx'

type AlertObservable = NonNullable<ApiAlert['observables']>[number]

const ended = new Set([0, 15, 20])

/** One alert with its runs and its content. */
export default function AlertPage() {
  const { id } = useParams<{ id: string }>()
  const path = `/alerts/${encodeURIComponent(id)}`
  const poll = usePollMs()
  const alert = useQuery({
    queryKey: ['alert', id],
    queryFn: () => apiGet<ApiAlert>(path),
    refetchInterval: ({ state }) => poll(ended.has(state.data?.investigation_status ?? 15) ? 10_000 : 1_000),
  })
  if (alert.isPending) return <PageLoading />
  if (alert.isLoadingError) return <ViewError error={alert.error} onRetry={() => void alert.refetch()} />
  const { data } = alert
  return (
    <Stack gap="var(--tocsin-gap)">
      <Group justify="space-between">
        <Group gap="sm">
          <ViewTitle>{data.alert_id.toUpperCase()}</ViewTitle>
          <AlertStatusBadge status={data.investigation_status} />
        </Group>
        <Group gap="xs">
          <RunForAlert alert={data} />
          <InvestigateAgain alert={data} />
        </Group>
      </Group>
      {data.title !== null && (
        <Text fw={600} className="outside-text">
          {showInvisible(data.title)}
        </Text>
      )}
      <FieldGrid
        entries={[
          ['Organization', data.organization_code],
          ['Provider', data.alert_provider],
          ['Alert name', data.alert_type],
          ['Severity', data.severity !== null && <SeverityLevel key="severity" severity={data.severity} />],
          ['Investigator', data.investigator],
          [
            'Case',
            data.case_id !== null && (
              <TextLink href={`/cases/${data.case_id}`}>{data.case_id.toUpperCase()}</TextLink>
            ),
          ],
          ['Occurred', data.occurred_at !== null && <DateTime key="occurred" at={data.occurred_at} />],
          ['Created', <DateTime key="created" at={data.created_at} />],
          ['Completed', data.completed_at !== null && <DateTime key="completed" at={data.completed_at} />],
          ['Created at source', data.created_at_source],
          ['Id at source', data.source_id !== null && showInvisible(data.source_id)],
          [
            'Investigated again',
            data.investigation_retry_count > 0 && `${data.investigation_retry_count} times`,
          ],
        ]}
      />
      {data.grouped_with !== null && (
        <MantineAlert color="blue" variant="light" title="Duplicate alert">
          <Text size="sm" className="outside-text">
            Grouped with{' '}
            <TextLink href={`/alerts/${data.grouped_with}`} isUnderlined>
              {data.grouped_with.toUpperCase()}
            </TextLink>
            {data.grouped_because !== null && <>: {showInvisible(data.grouped_because)}</>}
          </Text>
        </MantineAlert>
      )}
      {data.joined_because !== null && (
        <MantineAlert color="blue" variant="light" title="Related alerts">
          <Text size="sm" className="outside-text">
            It joined the case because {showInvisible(data.joined_because)}.
          </Text>
        </MantineAlert>
      )}
      <AlertObservables observables={data.observables ?? []} />
      <RunList runs={data.runs ?? []} />
      <TextView text={data.alert_content ?? ''} label="Alert content" title="Content" />
    </Stack>
  )
}

const observableColumns: readonly SmallColumn<AlertObservable>[] = [
  { title: 'Kind', isNarrow: true, cell: ({ kind }) => kind },
  {
    title: 'Value',
    cell: ({ kind, value, cases }) => <ObservableValue named={{ kind, value }} cases={cases} />,
  },
]

/** The observables in the content, even if no playbook looked them up. */
function AlertObservables({ observables }: { readonly observables: readonly AlertObservable[] }) {
  if (observables.length === 0) return null
  return (
    <SmallTable
      title="Observables"
      count={observables.length}
      rows={observables}
      columns={observableColumns}
      idOf={({ kind, value }) => `${kind} ${value}`}
      empty="No observables"
    />
  )
}

function InvestigateAgain({ alert }: { readonly alert: ApiAlert }) {
  const { alert_id: id, investigation_status: status } = alert
  const [opened, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const goOn = useNavigateWhileMounted()
  const once = useIdempotencyKey()
  const again = useMutation({
    mutationFn: () =>
      apiCall<ApiRun>('POST', `/alerts/${encodeURIComponent(id)}/investigate`, {
        headers: once.headersFor(id),
      }),
    onSuccess({ run_uuid: uuid }) {
      once.done()
      void queries.invalidateQueries({ queryKey: ['alert', id] })
      goOn(`/runs/${uuid}`)
    },
  })
  if (!useMay('alerts:write') || status < 15) return null
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Investigate again …
      </Button>
      <InvestigateDialog
        alerts={[alert]}
        opened={opened}
        isPending={again.isPending}
        error={again.error}
        onClose={close}
        onConfirm={() => again.mutate()}
      />
    </>
  )
}
