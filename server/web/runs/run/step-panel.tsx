import { whoText } from '../../parts/who-text.ts'
import { Anchor, Group, Paper, Select, Stack, Table, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { RunDetail, Step } from '../../api/types.ts'
import { durationText } from '../../parts/time/duration-text.ts'
import { JsonView } from '../../parts/json/json-view.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { StepStateBadge } from '../../parts/states/states.tsx'
import { StoredErrorView } from '../../parts/states/stored-error-view.tsx'
import { Time } from '../../parts/time/times.tsx'
import { mostListed, notListedText } from './not-listed-text.ts'
import { ResolveStep } from './resolve-step.tsx'
import type { StepPlace } from './step-place.ts'

interface StepPanelProps {
  readonly run: RunDetail
  readonly step: Step
  /** The same step for other items, or at other times; with this one. */
  readonly siblings: readonly Step[]
  /** Where it stands in its playbook, once that is known. */
  readonly place: StepPlace | undefined
  readonly onSelect: (path: string) => void
}

/** One step: what it was given, what it gave, and why it failed. */
export function StepPanel({ run, step, siblings, place, onSelect }: StepPanelProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label="Step">
      <Stack gap="sm">
        <Group gap="sm">
          <Title order={2} size="h4" className="outside-text">
            {showInvisible(step.step_id ?? step.kind)}
          </Title>
          <StepStateBadge step={step} />
          <Text size="sm" c="dimmed">
            {showInvisible(step.step_id === null ? step.path : step.kind)}
          </Text>
        </Group>
        {siblings.length > 1 && (
          <Select
            size="xs"
            label={`One of ${siblings.length}`}
            data={siblings.map(({ path, state }) => ({ value: path, label: `${path} · ${state}` }))}
            value={step.path}
            onChange={(path) => path !== null && onSelect(path)}
            allowDeselect={false}
            searchable
            limit={mostListed}
            description={notListedText(siblings.length)}
          />
        )}
        <Text size="sm" c="dimmed">
          <Time at={step.started_at} />
          {step.ended_at !== null && ` · took ${durationText(step.ended_at - step.started_at)}`}
          {step.attempt > 1 && ` · attempt ${step.attempt}`}
          {place !== undefined && (
            <>
              {' · '}
              <Anchor
                underline="always"
                component={Link}
                href={`/playbooks/${place.playbook}?line=${place.line}`}
                size="sm"
              >
                line {place.line}
                {place.called !== undefined && ` of ${place.called}`}
              </Anchor>
            </>
          )}
        </Text>
        {step.carried_from !== null && (
          <Text size="sm">
            Carried over from an{' '}
            <Anchor underline="always" component={Link} href={`/runs/${step.carried_from}`} size="sm">
              earlier run
            </Anchor>
            .
          </Text>
        )}
        {step.resolution !== null && (
          <Text size="sm">
            {showInvisible(whoText(step.resolution.actor))} decided: {decisionText(step.resolution.decision)}
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

function FailedTries({ step }: { readonly step: Step }) {
  return (
    <Table aria-label="Failed attempts" fz="xs">
      <Table.Tbody>
        {step.failed_attempts.map(({ attempt, started_at: at, error }) => (
          <Table.Tr key={attempt}>
            <Table.Td>Attempt {attempt}</Table.Td>
            <Table.Td>
              <Time at={at} />
            </Table.Td>
            <Table.Td className="outside-text">{showInvisible(`${error.code}: ${error.message}`)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
