import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiGet } from '../api/call.ts'
import type { ApiAlert, ApiCase, ApiPage, ApiRun, ApiSeenFinding, ApiSeenObservable } from '../api/types.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { PageLoading, TextLink } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { Copy, OutsideText } from '../parts/text-view.tsx'
import { showInvisible, stepHref } from '../parts/outside-text.ts'
import { CaseState, RunStatusBadge, SeverityLevel, VerdictBadge } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'
import { RunButton } from '../playbooks/run/run-button.tsx'
import { ViewError, ViewHead } from '../shell/view.tsx'
import { FindingBadge } from '../cases/findings.tsx'

interface ObservablePageProps {
  /** `<kind>:<value>`. */
  readonly observable: string
}

type SeenPage = ApiPage<ApiSeenObservable> & { readonly is_behind: boolean }

/** An observable: when it was seen, and the cases, findings, alerts and runs that have it. */
export function ObservablePage({ observable }: ObservablePageProps) {
  const seen = useQuery({
    queryKey: ['observable', observable],
    queryFn: () => apiGet<SeenPage>('/observables', { observable, limit: 200 }),
  })
  if (seen.isPending) return <PageLoading />
  if (seen.isLoadingError) return <ViewError error={seen.error} onRetry={() => void seen.refetch()} />
  const { data, is_behind: isBehind } = seen.data
  const colon = observable.indexOf(':')
  const [kind, value] = [observable.slice(0, colon), data[0]?.value ?? observable.slice(colon + 1)]
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        id={kind}
        title={showInvisible(value)}
        states={<Copy value={value} label={`Copy ${kind}`} />}
        actions={<RunForObservable kind={kind} value={value} seen={data} />}
      />
      {isBehind && (
        <Alert color="blue" py="xs">
          The index of observables is behind: newer alerts and runs are missing here.
        </Alert>
      )}
      <SmallTable
        title="Seen"
        rows={data}
        columns={seenColumns}
        idOf={(row) => row.organization_code}
        empty="Not seen in any alert or run"
      />
      {data.length > 0 && <Having observable={observable} />}
    </Stack>
  )
}

interface RunForObservableProps {
  readonly kind: string
  readonly value: string
  readonly seen: readonly ApiSeenObservable[]
}

function RunForObservable({ kind, value, seen }: RunForObservableProps) {
  const [only, another] = seen
  const organization = another === undefined ? only?.organization_code : undefined
  const about = useMemo(
    () => ({ observables: [{ kind, value }], ...(organization !== undefined && { organization }) }),
    [kind, value, organization],
  )
  return <RunButton about={about} />
}

const seenColumns: readonly SmallColumn<ApiSeenObservable>[] = [
  { title: 'Organization', cell: (row) => row.organization_code },
  { title: 'First seen', isNarrow: true, cell: (row) => <DateTime at={row.first_seen_at} /> },
  { title: 'Last seen', isNarrow: true, cell: (row) => <DateTime at={row.last_seen_at} ago /> },
  { title: 'Cases', isNumber: true, cell: ({ cases }) => cases.toLocaleString() },
  { title: 'Alerts', isNumber: true, cell: ({ alerts }) => alerts.toLocaleString() },
  { title: 'Runs', isNumber: true, cell: ({ runs }) => runs.toLocaleString() },
]

/** Rows of each table; lists have all. */
const shownRows = 20

function Having({ observable }: ObservablePageProps) {
  const common = { observable }
  return (
    <>
      <Rows<ApiCase>
        {...common}
        title="Cases"
        path="/cases"
        columns={caseColumns}
        idOf={({ case_id: id }) => id}
      />
      <Rows<ApiSeenFinding>
        {...common}
        title="Findings"
        path="/observables/findings"
        columns={findingColumns}
        idOf={(row) => `${row.run_uuid} ${row.path}`}
        empty="Not looked up"
      />
      <Rows<ApiAlert>
        {...common}
        title="Alerts"
        path="/alerts"
        columns={alertColumns}
        idOf={({ alert_id: id }) => id}
      />
      <Rows<ApiRun>
        {...common}
        title="Runs"
        path="/runs"
        columns={runColumns}
        idOf={({ run_uuid: uuid }) => uuid}
        empty="No run extracted it or looked it up"
        note="Runs that extracted the value or looked it up. The page of a case also shows the other steps that used it."
      />
    </>
  )
}

interface RowsProps<Row> extends ObservablePageProps {
  readonly title: string
  /** Of the list in the API, and of the view with all rows if it has one. */
  readonly path: string
  readonly columns: readonly SmallColumn<Row>[]
  readonly idOf: (row: Row) => string
  readonly empty?: string
  readonly note?: string
}

function Rows<Row>({ observable, title, path, columns, idOf, empty = 'None', note }: RowsProps<Row>) {
  const found = useQuery({
    queryKey: [path, { observable, limit: shownRows }],
    queryFn: () => apiGet<ApiPage<Row>>(path, { observable, limit: shownRows }),
  })
  if (found.isLoadingError) return <ErrorAlert error={found.error} onRetry={() => void found.refetch()} />
  const { data = [], total = 0 } = found.data ?? {}
  const isMore = total > data.length && !path.endsWith('findings')
  return (
    <SmallTable
      title={title}
      {...(found.data && { count: total })}
      rows={data}
      columns={columns}
      idOf={idOf}
      empty={found.isPending ? 'Loading …' : empty}
      mah={420}
      {...(note !== undefined && { note })}
      {...(isMore && {
        actions: (
          <TextLink href={`${path}?observable=${encodeURIComponent(observable)}`}>
            Show all {total.toLocaleString()}
          </TextLink>
        ),
      })}
    />
  )
}

const caseColumns: readonly SmallColumn<ApiCase>[] = [
  {
    title: 'Case',
    isNarrow: true,
    cell: ({ case_id: id }) => (
      <TextLink href={`/cases/${id}`} isStrong>
        {id.toUpperCase()}
      </TextLink>
    ),
  },
  { title: 'Title', cell: ({ title }) => <OutsideText text={title} /> },
  { title: 'Severity', isNarrow: true, cell: ({ severity }) => <SeverityLevel severity={severity} /> },
  { title: 'Verdict', isNarrow: true, cell: ({ verdict }) => <VerdictBadge verdict={verdict} /> },
  { title: 'Status', isNarrow: true, cell: ({ status }) => <CaseState status={status} /> },
  { title: 'Opened', isNarrow: true, cell: (row) => <DateTime at={row.created_at} /> },
]

const findingColumns: readonly SmallColumn<ApiSeenFinding>[] = [
  { title: 'Risk', isNarrow: true, cell: (row) => <FindingBadge found={row} /> },
  {
    title: 'Finding',
    cell: ({ error, summary }) => <OutsideText text={error?.message ?? summary ?? ''} />,
  },
  {
    title: 'Source',
    isNarrow: true,
    cell: ({ source, run_uuid: run, path }) => <TextLink href={stepHref(run, path)}>{source}</TextLink>,
  },
  {
    title: 'Case',
    isNarrow: true,
    cell: ({ case_id: id }) => id !== null && <TextLink href={`/cases/${id}`}>{id.toUpperCase()}</TextLink>,
  },
  { title: 'When', isNarrow: true, cell: ({ at }) => <DateTime at={at} /> },
]

const alertColumns: readonly SmallColumn<ApiAlert>[] = [
  {
    title: 'Alert',
    isNarrow: true,
    cell: ({ alert_id: id }) => (
      <TextLink href={`/alerts/${id}`} isStrong>
        {id.toUpperCase()}
      </TextLink>
    ),
  },
  { title: 'Title', cell: ({ title, alert_type: type }) => <OutsideText text={title ?? type ?? ''} /> },
  {
    title: 'Severity',
    isNarrow: true,
    cell: ({ severity }) => severity !== null && <SeverityLevel severity={severity} />,
  },
  {
    title: 'Case',
    isNarrow: true,
    cell: ({ case_id: id }) => id !== null && <TextLink href={`/cases/${id}`}>{id.toUpperCase()}</TextLink>,
  },
  { title: 'Received', isNarrow: true, cell: (row) => <DateTime at={row.created_at} /> },
]

const runColumns: readonly SmallColumn<ApiRun>[] = [
  {
    title: 'Playbook',
    cell: (run) => (
      <TextLink href={`/runs/${run.run_uuid}`} isStrong>
        {run.playbook}
      </TextLink>
    ),
  },
  {
    title: 'Status',
    isNarrow: true,
    cell: (run) => (
      <>
        <RunStatusBadge status={run.status} />
        {run.pruned_at !== null && <Text size="xs">Steps deleted by retention policy</Text>}
      </>
    ),
  },
  { title: 'Queued', isNarrow: true, cell: (run) => <DateTime at={run.created_at} /> },
]
