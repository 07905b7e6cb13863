import { Grid, Group, Skeleton, Stack, Text, Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { apiGet } from '../api/call.ts'
import type { ApiRunDetail, ApiRun, ApiGraph } from '../api/types.ts'
import { RunContainments } from '../containments/undo-all.tsx'
import { PlaybookGraph } from '../graph/playbook-graph.tsx'
import { usePollMs } from '../live/live-state.ts'
import { useFilters } from '../lists/use-filters.ts'
import { JsonView } from '../parts/text-view.tsx'
import { PageLoading, Section, FieldGrid, TextLink } from '../parts/layout.tsx'
import { ViewError, ViewTitle } from '../shell/view.tsx'
import { ErrorAlert, StoredErrorView } from '../parts/feedback.tsx'
import { isOpenQuestion, RunStatusBadge } from '../parts/states.tsx'
import { isRunOver } from './retries.ts'
import {
  nodeMarks,
  nodeOf,
  shownAt,
  waitEnd,
  waitingStepName,
  awaitedText,
  mostRelevantStep,
  initialStep,
  nameOfStep,
  namesIn,
  notShownText,
} from './run-steps.ts'
import { RunActions } from './run-actions.tsx'
import { StepPanel, useStepPlaces } from './step-panel.tsx'
import { WaterfallView } from './waterfall-view.tsx'
import { showInvisible, actorText } from '../parts/outside-text.ts'
import { useMay } from '../session/session.ts'
import { durationText } from '../parts/time.ts'
import { DateTime } from '../parts/times.tsx'

const names = ['step'] as const
/** A loop may wait for many events. */
const maxBanners = 5

/** One run: fields, graph, steps and timeline. */
export default function RunPage() {
  const { id } = useParams<{ id: string }>()
  const poll = usePollMs()
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: () => apiGet<ApiRunDetail>(`/runs/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data !== undefined && isRunOver(state.data) ? false : poll(1_000)),
  })
  if (run.isPending) return <PageLoading />
  if (run.isLoadingError) return <ViewError error={run.error} onRetry={() => void run.refetch()} />
  return <RunView key={id} run={run.data} />
}

function RunView({ run }: { readonly run: ApiRunDetail }) {
  const { filters, set } = useFilters(names)
  const { graph, marks, stepNames, ids } = useRunGraph(run)
  // While someone watches a run, its last step stays selected at the end.
  const [wasEnded] = useState(isRunOver(run))
  const chosen = run.steps.find(({ path }) => path === filters.step)
  const step = chosen ?? (wasEnded ? initialStep : mostRelevantStep)(run.steps)
  const isFromStart = wasEnded && chosen === undefined && step?.state === 'completed'
  const node = step && nodeOf(step.path)
  const siblings = run.steps.filter(({ path }) => nodeOf(path) === node)
  const failedPath = run.error?.details?.['path']
  const [failedAt, shownPlace] = useStepPlaces(run, graph.data, [
    typeof failedPath === 'string' ? failedPath : undefined,
    step?.path,
  ])
  const select = (path: string): void => set('step', path)
  return (
    <Stack gap="var(--tocsin-gap)">
      <Group justify="space-between">
        <Group gap="sm">
          <ViewTitle>{run.playbook}</ViewTitle>
          <RunStatusBadge status={run.status} />
        </Group>
        <RunActions run={run} />
      </Group>
      <RunFields run={run} />
      {run.error !== null && step?.error?.message !== run.error.message && (
        <StoredErrorView error={run.error} place={failedAt} organization={run.organization_code} />
      )}
      <WaitsFor run={run} onSelect={select} />
      <WaitsForRate run={run} onSelect={select} />
      <WaitsForEvents run={run} onSelect={select} />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          {graph.isLoadingError && <ErrorAlert error={graph.error} />}
          {graph.isPending && <Skeleton h="50vh" />}
          {graph.isSuccess && (
            <PlaybookGraph
              graph={graph.data}
              label={`Steps of ${run.playbook}`}
              marks={marks}
              selected={step && shownAt(step.path, ids)}
              isFromStart={isFromStart}
              onSelect={({ id: wanted }) => {
                const found = mostRelevantStep(run.steps.filter(({ path }) => nodeOf(path) === wanted))
                if (found !== undefined) select(found.path)
              }}
            />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          {step !== undefined && (
            <StepPanel
              run={run}
              step={step}
              name={nameOfStep(step, stepNames)}
              siblings={siblings}
              place={shownPlace}
              onSelect={select}
            />
          )}
        </Grid.Col>
      </Grid>
      <RunContainments runUuid={run.run_uuid} />
      <Section title="Timeline" isFlush>
        <NotShown run={run} />
        <WaterfallView
          steps={run.steps}
          names={stepNames}
          isLive={!isRunOver(run)}
          selected={step?.path}
          onSelect={select}
        />
      </Section>
      {run.trigger != null && <JsonView value={run.trigger} label="Trigger of the run" title="Trigger" />}
      <JsonView value={run.inputs} label="Inputs of the run" title="Inputs" />
      {run.output !== null && <JsonView value={run.output} label="Output of the run" title="Output" />}
    </Stack>
  )
}

/** The graph of the playbook of a run, and what happened in it. */
function useRunGraph(run: ApiRunDetail) {
  const graph = useQuery({
    queryKey: ['graph', run.playbook_hash],
    queryFn: () => apiGet<ApiGraph>(`/playbooks/${run.playbook_hash}/graph`),
    staleTime: Infinity,
  })
  const marks = useMemo(() => nodeMarks(run.steps), [run.steps])
  const stepNames = useMemo(() => namesIn(graph.data), [graph.data])
  const ids = useMemo(() => new Set(graph.data?.nodes.map(({ id }) => id)), [graph.data])
  return { graph, marks, stepNames, ids }
}

/** Reports omitted steps of a very long run. */
function NotShown({ run }: { readonly run: ApiRunDetail }) {
  const text = notShownText(run.steps.length, run.steps_total)
  return (
    text !== undefined && (
      <Text size="sm" p="sm">
        {text}
      </Text>
    )
  )
}

interface WaitsForProps {
  readonly run: ApiRunDetail
  readonly onSelect: (path: string) => void
}

/** Links to the questions and steps that the run waits for. */
function WaitsFor({ run, onSelect }: WaitsForProps) {
  const mayDecide = useMay('runs:write')
  if (run.status !== 'waiting') return null
  const unknown = run.steps.find(({ state }) => state === 'unknown')
  const questions = run.steps.filter(isOpenQuestion).length
  return (
    <Alert color="grape" py="xs">
      Waiting for {unknown === undefined ? 'an answer' : 'a decision'}:{' '}
      {unknown === undefined ? (
        <TextLink href={`/checkpoints?run=${run.run_uuid}`} isUnderlined>
          {questions > 1 ? `${questions.toLocaleString()} open questions` : 'open question'}
        </TextLink>
      ) : (
        <>
          outcome of{' '}
          <Anchor underline="always" component="button" size="sm" onClick={() => onSelect(unknown.path)}>
            {showInvisible(unknown.name)}
          </Anchor>{' '}
          unknown. {mayDecide ? 'Record the outcome.' : 'An analyst or administrator can record it.'}
        </>
      )}
    </Alert>
  )
}

/** Says which events the run waits for, and until when. */
function WaitsForEvents({ run, onSelect }: WaitsForProps) {
  const steps = run.steps.filter(({ kind, state }) => kind === 'event' && state === 'started')
  if (isRunOver(run)) return null
  return steps.slice(0, maxBanners).map((step) => {
    const until = waitEnd(step)
    return (
      <Alert key={step.path} color="blue" py="xs">
        Waiting for {showInvisible(awaitedText(step))}
        {until !== null && (
          <>
            {' '}
            until <DateTime at={until} />
          </>
        )}
        , in step{' '}
        <Anchor underline="always" component="button" size="sm" onClick={() => onSelect(step.path)}>
          {showInvisible(waitingStepName(step))}
        </Anchor>
        .
      </Alert>
    )
  })
}

/** Says that the rate limit of the playbook or of a step holds the run back, and until when. */
function WaitsForRate({ run, onSelect }: WaitsForProps) {
  const step = run.steps.find(({ kind, state }) => kind === 'rate' && state === 'started')
  const until = run.held_until ?? (step === undefined ? null : waitEnd(step))
  if (until === null || isRunOver(run)) return null
  return (
    <Alert color="blue" py="xs">
      {step === undefined ? (
        'Waiting for the rate limit of the playbook'
      ) : (
        <>
          Waiting for the rate limit of{' '}
          <Anchor underline="always" component="button" size="sm" onClick={() => onSelect(step.path)}>
            {showInvisible(waitingStepName(step))}
          </Anchor>
        </>
      )}
      : may start at <DateTime at={until} />.
    </Alert>
  )
}

const triggers = {
  case: 'change of a case',
  entity: 'repeated observable',
  webhook: 'webhook',
  question: 'question',
  run: 'another run',
} as const

/** The fields of a run. */
function RunFields({ run }: { readonly run: ApiRun }) {
  const {
    alert_id: alert,
    case_id: found,
    started_at: from,
    ended_at: to,
    retry_of: before,
    retried_by: after,
  } = run
  return (
    <FieldGrid
      entries={[
        ['Organization', run.organization_code],
        ['Alert', alert !== null && <To href={`/alerts/${alert}`} text={alert.toUpperCase()} />],
        ['Triggered by', run.triggered_by !== null && triggers[run.triggered_by]],
        ['Case', found !== null && <To href={`/cases/${found}`} text={found.toUpperCase()} />],
        ['Started', from !== null && <DateTime at={from} />],
        ['Duration', from !== null && to !== null && durationText(to - from)],
        [
          'Version',
          <To key="hash" href={`/playbooks/${run.playbook_hash}`} text={run.playbook_hash.slice(0, 12)} />,
        ],
        ['Retry of', before !== null && <To href={`/runs/${before}`} text="previous run" />],
        ['Retried by', after !== null && <To href={`/runs/${after}`} text="new run" />],
        ['Cancelled by', run.cancellation && showInvisible(actorText(run.cancellation.actor))],
        ['Steps deleted', run.pruned_at !== null && <DateTime at={run.pruned_at} />],
      ]}
    />
  )
}

function To({ href, text }: { readonly href: string; readonly text: string }) {
  return <TextLink href={href}>{text}</TextLink>
}
