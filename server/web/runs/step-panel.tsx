import { Group, Paper, Select, Stack, Table, Text, Title } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { actorText, showInvisible } from '../parts/outside-text.ts'
import type { ApiRunDetail, ApiStep, ApiGraph } from '../api/types.ts'
import { durationText } from '../parts/time.ts'
import { JsonView } from '../parts/text-view.tsx'
import { StepStateBadge } from '../parts/states.tsx'
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
  /** All executions of the step, including this one. */
  readonly siblings: readonly ApiStep[]
  /** Undefined until known. */
  readonly place: StepPlace | undefined
  readonly onSelect: (path: string) => void
}

/** One step: input, output and error. */
export function StepPanel({ run, step, siblings, place, onSelect }: StepPanelProps) {
  const people = useMemo(() => peopleOf(siblings), [siblings])
  const person = people.get(step.path)
  return (
    <Paper withBorder p="md" component="section" aria-label="Step">
      <Stack gap="sm">
        <Group gap="sm">
          <Title order={2} size="h4" className="outside-text">
            {showInvisible(step.step_id ?? step.kind)}
          </Title>
          <StepStateBadge step={step} />
          <Text size="sm" c="dimmed">
            {showInvisible(step.step_id === null ? step.path : (person ?? step.kind))}
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
        {step.error !== null && <StoredErrorView error={step.error} place={place} />}
        {step.state === 'unknown' && <ResolveStep key={step.path} run={run} step={step} />}
        {step.failed_attempts.length > 0 && <FailedTries step={step} />}
        {step.input !== null && (
          <JsonView value={step.input} label={`Input of ${step.path}`} title="Input" level={3} />
        )}
        {step.output !== null && (
          <JsonView value={step.output} label={`Output of ${step.path}`} title="Output" level={3} />
        )}
      </Stack>
    </Paper>
  )
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
