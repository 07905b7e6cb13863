import { Alert, Anchor, Button, Grid, Stack, Text } from '@mantine/core'
import { DownloadIcon } from '@radix-ui/react-icons'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { addressOf, callTagged, type Tagged } from '../api/call.ts'
import type { Case, CaseDetail } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { PageLoading } from '../parts/states/page-loading.tsx'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { CaseState, SeverityLevel, VerdictBadge } from '../parts/states/states.tsx'
import { Time } from '../parts/time/times.tsx'
import { RunList } from '../runs/list/run-list.tsx'
import { useMay } from '../session/session.ts'
import { ViewHead } from '../shell/view/view-head.tsx'
import { ViewRefusal } from '../shell/view/view-refusal.tsx'
import { Actions } from './actions.tsx'
import { CaseAlerts } from './case-alerts.tsx'
import { CaseEditor } from './case-editor.tsx'
import { CaseSummary } from './case-summary.tsx'
import { CaseTimeline } from './case-timeline.tsx'
import { lossText } from './loss-text.ts'
import { NoteForm } from './note-form.tsx'
import { Observables } from './observables.tsx'

/** One case: what was found, what was done, and what people say about it. */
export default function CasePage() {
  const { id } = useParams<{ id: string }>()
  const path = `/cases/${encodeURIComponent(id)}`
  const mayEdit = useMay('analyst', 'admin')
  const poll = usePollMs()
  const queries = useQueryClient()
  const queryKey = ['case', id]
  const found = useQuery({
    queryKey,
    queryFn: () => callTagged<CaseDetail>('GET', path),
    refetchInterval: poll(5_000),
  })
  if (found.isPending) return <PageLoading />
  if (found.isLoadingError) return <ViewRefusal error={found.error} onRetry={() => void found.refetch()} />
  const { data, etag } = found.data
  const refresh = (): void => void found.refetch()
  const showSaved = (saved: Tagged<Case>): void => {
    // An answer under way is older.
    void queries.cancelQueries({ queryKey })
    queries.setQueryData(queryKey, { data: { ...data, ...saved.data }, etag: saved.etag })
  }
  return (
    <Stack gap="var(--tocsin-gap)">
      <CaseHead found={data} path={path} />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="var(--tocsin-gap)">
            <WaitingRuns found={data} />
            <CaseSummary
              found={data}
              path={path}
              etag={etag}
              mayEdit={mayEdit}
              onDone={refresh}
              onSaved={showSaved}
            />
            <Actions actions={data.actions} total={data.actions_total} />
            <Observables observables={data.observables} />
            <CaseAlerts id={data.case_id} alerts={data.alerts} deleted={data.alerts_deleted} />
            <RunList runs={data.runs} loss={lossText(data.runs_deleted, 'run')} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="var(--tocsin-gap)">
            {mayEdit && (
              <CaseEditor found={data} path={path} etag={etag} onDone={refresh} onSaved={showSaved} />
            )}
            <Section title="Timeline" count={data.timeline_total}>
              <Stack>
                {mayEdit && <NoteForm id={data.case_id} path={path} onDone={refresh} />}
                <CaseTimeline found={data} path={path} />
              </Stack>
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

function CaseHead({ found, path }: { readonly found: CaseDetail; readonly path: string }) {
  return (
    <ViewHead
      id={found.case_id.toUpperCase()}
      title={showInvisible(found.title)}
      states={
        <>
          <SeverityLevel severity={found.severity} />
          <VerdictBadge verdict={found.verdict} />
          <CaseState status={found.status} />
        </>
      }
      about={
        <>
          {found.organization_code} · opened <Time at={found.created_at} ago /> · changed{' '}
          <Time at={found.modified_at} ago />
          {found.assignee !== null && <> · {showInvisible(found.assignee)}</>}
        </>
      }
      actions={
        <>
          <Export path={path} format="markdown" text="Report" />
          <Export path={path} format="json" text="JSON" />
        </>
      }
    />
  )
}

/** A case does not go on before somebody answers, or says what became of a step: the run tells which. */
function WaitingRuns({ found: { runs } }: { readonly found: CaseDetail }) {
  const waiting = runs.filter(({ status }) => status === 'waiting')
  if (waiting.length === 0) return null
  return (
    <Alert color="grape" py="xs">
      {waiting.map(({ run_uuid: uuid, playbook }) => (
        <Text key={uuid} size="sm">
          {playbook} is waiting:{' '}
          <Anchor underline="always" component={Link} href={`/runs/${uuid}`} size="sm">
            open run
          </Anchor>
        </Text>
      ))}
    </Alert>
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
