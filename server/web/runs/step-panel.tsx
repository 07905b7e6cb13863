import { Group, Paper, Select, Stack, Table, Text, Title } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState, type ReactNode } from 'react'
import { actorText, showInvisible } from '../parts/outside-text.ts'
import type { ApiCheckpoint, ApiGraph, ApiPage, ApiRunDetail, ApiStep } from '../api/types.ts'
import { CheckpointCard } from '../checkpoints/checkpoint-card.tsx'
import { usePollMs } from '../live/live-state.ts'
import { durationText } from '../parts/time.ts'
import { JsonView } from '../parts/text-view.tsx'
import { isOpenQuestion, StepStateBadge } from '../parts/states.tsx'
import { EvidenceCard, KnownObservables, useObservablesOf } from '../evidence/evidence-card.tsx'
import { StoredErrorView } from '../parts/feedback.tsx'
import { DateTime } from '../parts/times.tsx'
import {
  maxListedSteps,
  notListedText,
  type StepPlace,
  nodeOf,
  peopleOf,
  calledVersions,
  stepPlace,
} from './run-steps.ts'
import { ResolveStep } from './resolve-step.tsx'
import { apiGet } from '../api/call.ts'
import { TextLink } from '../parts/layout.tsx'

interface StepPanelProps {
  readonly run: ApiRunDetail
  readonly step: ApiStep
  readonly name: string
  /** All executions of the step, including this one. */
  readonly siblings: readonly ApiStep[]
  /** Undefined until known. */
  readonly place: StepPlace | undefined
  readonly onSelect: (path: string) => void
}

/** One step: input, output and error. */
export function StepPanel({ run, step, name, siblings, place, onSelect }: StepPanelProps) {
  const people = useMemo(() => peopleOf(siblings), [siblings])
  const person = people.get(step.path)
  return (
    <Paper withBorder p="md" component="section" aria-label="Step">
      <Stack gap="sm">
        <Group gap="sm">
          <Title order={2} size="h4" className="outside-text">
            {showInvisible(name)}
          </Title>
          <StepStateBadge step={step} />
          <Text size="sm" c="dimmed">
            {showInvisible(person ?? (step.step_id === null ? step.path : step.kind))}
          </Text>
        </Group>
        {siblings.length > 1 && (
          <Select
            size="xs"
            label={`Steps of this node (${siblings.length})`}
            data={siblings.map(({ path, state }) => ({
              value: path,
              label: showInvisible(`${people.get(path) ?? path} · ${state}`),
            }))}
            value={step.path}
            onChange={(path) => path !== null && onSelect(path)}
            allowDeselect={false}
            searchable
            limit={maxListedSteps}
            description={notListedText(siblings.length)}
          />
        )}
        <Text size="sm" c="dimmed">
          <DateTime at={step.started_at} />
          {step.ended_at !== null && ` · took ${durationText(step.ended_at - step.started_at)}`}
          {step.attempt > 1 && ` · attempt ${step.attempt}`}
          {place !== undefined && (
            <>
              {' · '}
              <TextLink href={`/playbooks/${place.playbook}?line=${place.line}`} isUnderlined>
                line {place.line}
                {place.called !== undefined && ` of ${place.called}`}
              </TextLink>
            </>
          )}
        </Text>
        {step.carried_from !== null && (
          <Text size="sm">
            Carried over from an{' '}
            <TextLink href={`/runs/${step.carried_from}`} isUnderlined>
              earlier run
            </TextLink>
            .
          </Text>
        )}
        {step.resolution !== null && (
          <Text size="sm">
            {showInvisible(actorText(step.resolution.actor))} decided:{' '}
            {decisionText(step.resolution.decision)}
          </Text>
        )}
        {step.error !== null && (
          <StoredErrorView error={step.error} place={place} organization={run.organization_code} />
        )}
        {step.state === 'unknown' && <ResolveStep key={`decision ${step.path}`} run={run} step={step} />}
        {step.failed_attempts.length > 0 && <FailedTries step={step} />}
        <StepQuestion key={`question ${step.path}`} runUuid={run.run_uuid} step={step}>
          {step.input !== null && (
            <JsonView value={step.input} label={`Input of ${step.path}`} title="Input" level={3} />
          )}
        </StepQuestion>
        {step.output !== null && <StepOutput run={run} step={step} />}
      </Stack>
    </Paper>
  )
}

/** The output of a skill as on the page of the case, with links to its observables; of other steps as JSON. */
function StepOutput({ run, step }: Pick<StepPanelProps, 'run' | 'step'>) {
  const look = { value: step.output, label: `Output of ${step.path}`, title: 'Output' }
  // Names of skills have a dot, kinds of steps have none.
  const isSkill = step.kind.includes('.')
  const known = useObservablesOf(isSkill ? run.case_id : null)
  if (!isSkill) return <JsonView {...look} level={3} />
  return (
    <KnownObservables value={known}>
      <EvidenceCard key={step.path} {...look} />
    </KnownObservables>
  )
}

interface StepQuestionProps {
  readonly runUuid: string
  readonly step: ApiStep
  /** Shown for other steps, and until the question is loaded. */
  readonly children: ReactNode
}

/** The question that the step waits for. It stays in view with its answer. Give each step its own key. */
function StepQuestion({ runUuid, step, children }: StepQuestionProps) {
  const poll = usePollMs()
  const isOpen = isOpenQuestion(step)
  const open = useQuery({
    queryKey: ['checkpoints', 'of run', runUuid],
    queryFn: ({ signal }) =>
      apiGet<ApiPage<ApiCheckpoint>>('/checkpoints', { run: runUuid, limit: 200 }, signal),
    enabled: isOpen,
    refetchInterval: poll(2_000),
  })
  const waiting = isOpen ? open.data?.data.find(({ path }) => path === step.path) : undefined
  const [shown, show] = useState(waiting)
  if (waiting !== undefined && waiting !== shown) show(waiting)
  const question = waiting ?? shown
  if (question === undefined) return children
  return <CheckpointCard checkpoint={question} isEnded={waiting === undefined} />
}

const decisionTexts: Readonly<Record<string, string | undefined>> = {
  ran: 'it happened',
  ran_output_unknown: 'it happened, output unknown',
  run_again: 'run again',
  skip: 'skip step',
}

const decisionText = (decision: string): string => decisionTexts[decision] ?? decision

function FailedTries({ step }: { readonly step: ApiStep }) {
  return (
    <Table aria-label="Failed attempts" fz="xs">
      <Table.Tbody>
        {step.failed_attempts.map(({ attempt, started_at: at, error }) => (
          <Table.Tr key={attempt}>
            <Table.Td>Attempt {attempt}</Table.Td>
            <Table.Td>
              <DateTime at={at} />
            </Table.Td>
            <Table.Td className="outside-text">{showInvisible(`${error.code}: ${error.message}`)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/**
 * The lines of steps, also in called playbooks; undefined until known.
 *
 * @param graph of the playbook of the run
 * @param paths of the steps
 */
export function useStepPlaces(
  { playbook_hash: own, steps }: ApiRunDetail,
  graph: ApiGraph | undefined,
  paths: readonly (string | null | undefined)[],
): readonly (StepPlace | undefined)[] {
  const versions = useMemo(() => calledVersions(steps), [steps])
  const ids = useMemo(() => graph && new Set(graph.nodes.map(({ id }) => id)), [graph])
  const isCalled = ids !== undefined && paths.some((path) => path && !ids.has(nodeOf(path)))
  const hashes = isCalled ? [...new Set(versions.values())] : []
  const called = useQueries({
    queries: hashes.map((hash) => ({
      queryKey: ['graph', hash],
      queryFn: () => apiGet<ApiGraph>(`/playbooks/${hash}/graph`),
      staleTime: Infinity,
    })),
  })
  const graphs = new Map<string, ApiGraph>(graph && [[own, graph]])
  for (const [index, { data }] of called.entries()) if (data) graphs.set(hashes[index] ?? '', data)
  return paths.map((path) => (path ? stepPlace(path, { playbook: own }, graphs, versions) : undefined))
}
