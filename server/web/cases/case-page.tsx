import { Button, Grid, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { DownloadIcon } from '@radix-ui/react-icons'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { addressOf, callTagged } from '../api/call.ts'
import type { CaseDetail } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { showInvisible } from '../parts/show-invisible.ts'
import { CaseState, SeverityLevel, VerdictBadge } from '../parts/states.tsx'
import { RunList } from '../runs/run-list.tsx'
import { ViewTitle } from '../shell/view-title.tsx'
import { useMay } from '../session/session.ts'
import { CaseAlerts } from './case-alerts.tsx'
import { CaseEditor } from './case-editor.tsx'
import { CaseTimeline } from './case-timeline.tsx'
import { NoteForm } from './note-form.tsx'
import { Observables } from './observables.tsx'

/** One case: what was found, what was done, and what people say about it. */
export default function CasePage() {
  const { id } = useParams<{ id: string }>()
  const path = `/cases/${encodeURIComponent(id)}`
  const mayEdit = useMay('analyst', 'admin')
  const found = useQuery({
    queryKey: ['case', id],
    queryFn: () => callTagged<CaseDetail>('GET', path),
    refetchInterval: 5_000,
  })
  if (found.isPending) return <Loader aria-label="Loading" />
  if (found.isError) return <Refusal error={found.error} onRetry={() => void found.refetch()} />
  const { data, etag } = found.data
  const refresh = (): void => void found.refetch()
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm">
          <ViewTitle>{`${data.case_id.toUpperCase()} ${showInvisible(data.title)}`}</ViewTitle>
          <SeverityLevel severity={data.severity} />
          <VerdictBadge verdict={data.verdict} />
          <CaseState status={data.status} />
        </Group>
        <Group gap="xs">
          <Export path={path} format="markdown" text="Report" />
          <Export path={path} format="json" text="JSON" />
        </Group>
      </Group>
      <Grid>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack>
            {data.summary !== null && <Text className="outside-text">{showInvisible(data.summary)}</Text>}
            <Observables observables={data.observables} />
            <CaseAlerts id={data.case_id} alerts={data.alerts} />
            <RunList runs={data.runs} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack>
            {mayEdit && <CaseEditor key={etag} found={data} path={path} etag={etag} onDone={refresh} />}
            <Title order={2} size="h4">
              Timeline
            </Title>
            {mayEdit && <NoteForm path={path} onDone={refresh} />}
            <CaseTimeline found={data} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

interface ExportProps {
  readonly path: string
  readonly format: 'markdown' | 'json'
  readonly text: string
}

function Export({ path, format, text }: ExportProps) {
  return (
    <Button
      component="a"
      href={addressOf(`${path}/export`, { format })}
      download={`${path.split('/').at(-1) ?? 'case'}.${format === 'json' ? 'json' : 'md'}`}
      size="xs"
      variant="default"
      leftSection={<DownloadIcon />}
    >
      {text}
    </Button>
  )
}
