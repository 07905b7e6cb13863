import { Grid, Group, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { get } from '../../api/call.ts'
import type { RunDetail } from '../../api/types.ts'
import type { Graph } from '../../graph/graph-types.ts'
import { PlaybookGraph } from '../../graph/playbook-graph.tsx'
import { usePollMs } from '../../live/live-state.ts'
import { useFilters } from '../../lists/filters/use-filters.ts'
import { JsonView } from '../../parts/json/json-view.tsx'
import { PageLoading } from '../../parts/states/page-loading.tsx'
import { ViewRefusal } from '../../shell/view/view-refusal.tsx'
import { Refusal } from '../../parts/states/refusal.tsx'
import { Section } from '../../parts/section.tsx'
import { RunState } from '../../parts/states/states.tsx'
import { StoredErrorView } from '../../parts/states/stored-error-view.tsx'
import { ViewTitle } from '../../shell/view/view-title.tsx'
import { hasEnded } from './has-ended.ts'
import { nodeMarks, nodeOf, shownAt } from '../waterfall/node-marks.ts'
import { RunActions } from './run-actions.tsx'
import { RunFields } from './run-fields.tsx'
import { NotShown } from './not-shown.tsx'
import { StepPanel } from './step-panel.tsx'
import { firstToSee, opensWith } from './first-to-see.ts'
import { useStepPlaces } from './use-step-places.ts'
import { WaitsFor } from './waits-for.tsx'
import { WaterfallView } from '../waterfall/waterfall-view.tsx'

const names = ['step'] as const

/** One run: its playbook with what became of each step, when, and why. */
export default function RunPage() {
  const { id } = useParams<{ id: string }>()
  const poll = usePollMs()
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: () => get<RunDetail>(`/runs/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (state.data !== undefined && hasEnded(state.data) ? false : poll(1_000)),
  })
  if (run.isPending) return <PageLoading />
  if (run.isLoadingError) return <ViewRefusal error={run.error} onRetry={() => void run.refetch()} />
  return <RunView key={id} run={run.data} />
}

function RunView({ run }: { readonly run: RunDetail }) {
  const { filters, set } = useFilters(names)
  const graph = useQuery({
    queryKey: ['graph', run.playbook_hash],
    queryFn: () => get<Graph>(`/playbooks/${run.playbook_hash}/graph`),
    staleTime: Infinity,
  })
  const marks = useMemo(() => nodeMarks(run.steps), [run.steps])
  const ids = useMemo(() => new Set(graph.data?.nodes.map(({ id }) => id)), [graph.data])
  // Whoever watches it go on stays with its last step when it ends.
  const [wasEnded] = useState(hasEnded(run))
  const chosen = run.steps.find(({ path }) => path === filters.step)
  const step = chosen ?? (wasEnded ? opensWith : firstToSee)(run.steps)
  const isFromStart = wasEnded && chosen === undefined && step?.state === 'completed'
  const node = step && nodeOf(step.path)
  const siblings = run.steps.filter(({ path }) => nodeOf(path) === node)
  const [failedAt, shownPlace] = useStepPlaces(run, graph.data, [run.error?.step, step?.path])
  const select = (path: string): void => set('step', path)
  return (
    <Stack gap="var(--tocsin-gap)">
      <Group justify="space-between">
        <Group gap="sm">
          <ViewTitle>{run.playbook}</ViewTitle>
          <RunState status={run.status} />
        </Group>
        <RunActions run={run} />
      </Group>
      <RunFields run={run} />
      {run.error !== null && step?.error?.message !== run.error.message && (
        <StoredErrorView error={run.error} place={failedAt} />
      )}
      <WaitsFor run={run} onSelect={select} />
      <Grid gap="var(--tocsin-gap)">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          {graph.isLoadingError && <Refusal error={graph.error} />}
          {graph.isPending && <Skeleton h="50vh" />}
          {graph.isSuccess && (
            <PlaybookGraph
              graph={graph.data}
              label={`Steps of ${run.playbook}`}
              marks={marks}
              selected={step && shownAt(step.path, ids)}
              isFromStart={isFromStart}
              onSelect={({ id: wanted }) => {
                const found = firstToSee(run.steps.filter(({ path }) => nodeOf(path) === wanted))
                if (found !== undefined) select(found.path)
              }}
            />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          {step !== undefined && (
            <StepPanel run={run} step={step} siblings={siblings} place={shownPlace} onSelect={select} />
          )}
        </Grid.Col>
      </Grid>
      <Section title="Timeline" isFlush>
        <NotShown run={run} />
        <WaterfallView steps={run.steps} isLive={!hasEnded(run)} selected={step?.path} onSelect={select} />
      </Section>
      <JsonView value={run.inputs} label="Inputs of the run" title="Inputs" />
      {run.output !== null && <JsonView value={run.output} label="Output of the run" title="Output" />}
    </Stack>
  )
}
