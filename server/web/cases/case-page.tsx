import { Alert as MantineAlert, Button, Stack, Text } from '@mantine/core'
import { FileTextIcon } from 'lucide-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Redirect, useParams, useSearchParams } from 'wouter'
import { apiCallTagged, type Tagged } from '../api/call.ts'
import type { ApiCase, ApiCaseDetail } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { PageLoading, Section, TextLink } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { CaseState, SeverityLevel, VerdictBadge } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'
import { RunList } from '../runs/run-list.tsx'
import { useMay } from '../session/session.ts'
import { ViewHead, ViewError } from '../shell/view.tsx'
import { UndoableContainments } from '../containments/undo-all.tsx'
import { RunForCase } from '../playbooks/run/run-button.tsx'
import { RelatedCases } from '../observables/related-cases.tsx'
import { CaseAlerts } from './case-alerts.tsx'
import { Assignee } from './assignee.tsx'
import { Actions, Observables } from './findings.tsx'
import { CaseNeighbours } from './case-neighbours.tsx'
import { CaseEditor } from './case-edit.tsx'
import { CaseFiles } from './files/case-files.tsx'
import { CaseLinks } from './case-links.tsx'
import { CaseTasks } from './case-tasks.tsx'
import { CaseSummary } from './case-summary.tsx'
import { reasonText } from './closing.tsx'
import { DueTime } from './due-time.tsx'
import { CaseTimeline } from './case-timeline.tsx'
import { NoteForm } from './notes/note-form.tsx'

/** One case. */
export default function CasePage() {
  const { id } = useParams<{ id: string }>()
  // The next case has its own drafts.
  return <CaseView key={id.toLowerCase()} id={id} />
}

function CaseView({ id }: { readonly id: string }) {
  const path = `/cases/${encodeURIComponent(id)}`
  const mayEdit = useMay('cases:write')
  const poll = usePollMs()
  const queries = useQueryClient()
  const queryKey = ['case', id]
  const found = useQuery({
    queryKey,
    queryFn: () => apiCallTagged<ApiCaseDetail>('GET', path),
    refetchInterval: poll(5_000),
  })
  if (found.isPending) return <PageLoading />
  if (found.isLoadingError) return <ViewError error={found.error} onRetry={() => void found.refetch()} />
  const { data, etag } = found.data
  const refresh = (): void => void found.refetch()
  const showSaved = (saved: Tagged<ApiCase>): void => {
    // A request that is still running would return older data.
    void queries.cancelQueries({ queryKey })
    queries.setQueryData(queryKey, { data: { ...data, ...saved.data }, etag: saved.etag })
  }
  if (data.merged_into !== null)
    return <Redirect replace to={`/cases/${data.merged_into}?merged=${data.case_id}`} />
  return (
    <Stack gap="var(--tocsin-gap)">
      <CaseHead found={data} path={path} />
      <MergedNotice />
      <WaitingRuns found={data} />
      <div className="case-columns">
        {mayEdit && (
          <div className="case-decisions">
            <CaseEditor found={data} path={path} etag={etag} onDone={refresh} onSaved={showSaved} />
          </div>
        )}
        <div className="case-main">
          <Stack gap="var(--tocsin-gap)">
            <CaseSummary
              found={data}
              path={path}
              etag={etag}
              mayEdit={mayEdit}
              onDone={refresh}
              onSaved={showSaved}
            />
            <UndoableContainments path={path} all={data.containments} />
            <Actions actions={data.actions} total={data.actions_total} containments={data.containments} />
            <Observables observables={data.observables} />
            <RelatedCases path={path} />
            <CaseFiles files={data.files} path={path} mayEdit={mayEdit} onDone={refresh} />
            <CaseAlerts
              found={data}
              path={path}
              etag={etag}
              mayEdit={mayEdit}
              loss={lossText(data.alerts_deleted, 'alert')}
              onFailed={refresh}
            />
            <RunList runs={data.runs} loss={lossText(data.runs_deleted, 'run')} />
          </Stack>
        </div>
        <div className="case-work">
          <Stack gap="var(--tocsin-gap)">
            <CaseWork found={data} path={path} mayEdit={mayEdit} onDone={refresh} />
          </Stack>
        </div>
      </div>
    </Stack>
  )
}

interface CaseWorkProps {
  readonly found: ApiCaseDetail
  readonly path: string
  readonly mayEdit: boolean
  readonly onDone: () => void
}

/** Tasks, links and the timeline with its notes. */
function CaseWork({ found, path, mayEdit, onDone }: CaseWorkProps) {
  const { organization_code: organization, tasks, links } = found
  const editing = { path, mayEdit, onDone }
  return (
    <>
      <CaseTasks organization={organization} tasks={tasks} {...editing} />
      <CaseLinks links={links} {...editing} />
      <Section title="Timeline" count={found.timeline_total}>
        <Stack>
          {mayEdit && <NoteForm id={found.case_id} organization={organization} path={path} onDone={onDone} />}
          <CaseTimeline found={found} path={path} />
        </Stack>
      </Section>
    </>
  )
}

function CaseHead({ found, path }: { readonly found: ApiCaseDetail; readonly path: string }) {
  return (
    <ViewHead
      id={found.case_id.toUpperCase()}
      title={showInvisible(found.title)}
      states={
        <>
          <SeverityLevel severity={found.severity} />
          <VerdictBadge verdict={found.verdict} />
          <CaseState status={found.status} />
          <DueTime found={found} />
        </>
      }
      about={
        <>
          {found.organization_code} · opened <DateTime at={found.created_at} ago /> · changed{' '}
          <DateTime at={found.modified_at} ago />
          {found.assignee !== null && (
            <>
              {' '}
              · <Assignee found={found} />
            </>
          )}
          {found.closing_reason !== null && <> · {reasonText(found.closing_reason)}</>}
          {found.split_from !== null && (
            <>
              {' '}
              · split from{' '}
              <TextLink href={`/cases/${found.split_from}`} isUnderlined>
                {found.split_from.toUpperCase()}
              </TextLink>
            </>
          )}
        </>
      }
      actions={
        <>
          <CaseNeighbours id={found.case_id} />
          <RunForCase found={found} />
          <Button
            component={Link}
            href={`${path}/report`}
            size="xs"
            variant="default"
            leftSection={<FileTextIcon />}
          >
            Report
          </Button>
        </>
      }
    />
  )
}

/** After the address of a case that was merged into this one. */
function MergedNotice() {
  const [params] = useSearchParams()
  const merged = params.get('merged')
  if (merged === null) return null
  return (
    <MantineAlert color="blue" py="xs">
      <Text size="sm" className="outside-text">
        {showInvisible(merged.toUpperCase().slice(0, 100))} was merged into this case.
      </Text>
    </MantineAlert>
  )
}

/** Links to runs of the case that wait for a person. */
function WaitingRuns({ found: { runs } }: { readonly found: ApiCaseDetail }) {
  const waiting = runs.filter(({ status }) => status === 'waiting')
  if (waiting.length === 0) return null
  return (
    <MantineAlert color="grape" py="xs">
      {waiting.map(({ run_uuid: uuid, playbook }) => (
        <Text key={uuid} size="sm">
          {playbook} is waiting:{' '}
          <TextLink href={`/checkpoints?run=${uuid}`} isUnderlined>
            open question
          </TextLink>
          ,{' '}
          <TextLink href={`/runs/${uuid}`} isUnderlined>
            open run
          </TextLink>
        </Text>
      ))}
    </MantineAlert>
  )
}

/** Null if nothing was deleted. */
function lossText(count: number, of: 'alert' | 'run'): string | null {
  if (count === 0) return null
  return count === 1
    ? `1 ${of} deleted by retention policy`
    : `${count.toLocaleString()} ${of}s deleted by retention policy`
}
