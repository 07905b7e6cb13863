import { Alert as MantineAlert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { call, get } from '../api/call.ts'
import type { Alert, Run } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { Fields } from '../parts/fields.tsx'
import { TextView } from '../parts/json/json-view.tsx'
import { PageLoading } from '../parts/states/page-loading.tsx'
import { ViewRefusal } from '../shell/view/view-refusal.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { AlertStatus } from '../parts/states/states.tsx'
import { Time } from '../parts/time/times.tsx'
import { useGoOn } from '../parts/use-go-on.ts'
import { RunList } from '../runs/list/run-list.tsx'
import { useMay } from '../session/session.ts'
import { ViewTitle } from '../shell/view/view-title.tsx'
import { InvestigateDialog } from './investigate-dialog.tsx'

const ended = new Set([0, 15, 20])

/** One alert: what came, what was done about it, and what came of that. */
export default function AlertPage() {
  const { id } = useParams<{ id: string }>()
  const path = `/alerts/${encodeURIComponent(id)}`
  const poll = usePollMs()
  const alert = useQuery({
    queryKey: ['alert', id],
    queryFn: () => get<Alert>(path),
    refetchInterval: ({ state }) => poll(ended.has(state.data?.investigation_status ?? 15) ? 10_000 : 1_000),
  })
  if (alert.isPending) return <PageLoading />
  if (alert.isLoadingError) return <ViewRefusal error={alert.error} onRetry={() => void alert.refetch()} />
  const { data } = alert
  return (
    <Stack gap="var(--tocsin-gap)">
      <Group justify="space-between">
        <Group gap="sm">
          <ViewTitle>{data.alert_id.toUpperCase()}</ViewTitle>
          <AlertStatus status={data.investigation_status} />
        </Group>
        <InvestigateAgain alert={data} />
      </Group>
      <Fields
        entries={[
          ['Organization', data.organization_code],
          ['Provider', data.alert_provider],
          ['Alert name', data.alert_type],
          ['Investigator', data.investigator],
          [
            'Case',
            data.case_id !== null && (
              <Anchor component={Link} href={`/cases/${data.case_id}`} size="sm">
                {data.case_id.toUpperCase()}
              </Anchor>
            ),
          ],
          ['Created', <Time key="created" at={data.created_at} />],
          ['Completed', data.completed_at !== null && <Time key="completed" at={data.completed_at} />],
          ['Created at source', data.created_at_source],
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
            <Anchor component={Link} href={`/alerts/${data.grouped_with}`} size="sm" underline="always">
              {data.grouped_with.toUpperCase()}
            </Anchor>
            {data.grouped_because !== null && <>: {showInvisible(data.grouped_because)}</>}
          </Text>
        </MantineAlert>
      )}
      <RunList runs={data.runs ?? []} />
      <TextView text={data.alert_content ?? ''} label="Alert content" title="Content" />
    </Stack>
  )
}

function InvestigateAgain({ alert }: { readonly alert: Alert }) {
  const { alert_id: id, investigation_status: status } = alert
  const [opened, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const goOn = useGoOn()
  const again = useMutation({
    mutationFn: () => call<Run>('POST', `/alerts/${encodeURIComponent(id)}/investigate`),
    onSuccess({ run_uuid: uuid }) {
      void queries.invalidateQueries({ queryKey: ['alert', id] })
      goOn(`/runs/${uuid}`)
    },
  })
  if (!useMay('analyst', 'admin') || status < 15) return null
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
