import { Accordion, Group, Stack, Text, Title } from '@mantine/core'
import type { RunDetail } from '../api/types.ts'
import { JsonView } from '../parts/json-view.tsx'
import { StepStateBadge } from '../parts/states.tsx'
import { durationText } from '../parts/times.tsx'

/** What each step was given, what it gave, and why it failed. */
export function Steps({ run }: { readonly run: RunDetail }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Steps
      </Title>
      <Accordion multiple variant="separated">
        {run.steps.map((step) => (
          <Accordion.Item key={step.path} value={step.path}>
            <Accordion.Control>
              <Group gap="sm">
                <StepStateBadge state={step.state} />
                <Text fw={600} size="sm">
                  {step.step_id ?? step.path}
                </Text>
                <Text c="dimmed" size="sm">
                  {step.kind}
                </Text>
                {step.ended_at !== null && (
                  <Text c="dimmed" size="sm">
                    {durationText(step.ended_at - step.started_at)}
                  </Text>
                )}
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="xs">
                <JsonView value={step.input} label={`Input of ${step.path}`} />
                <JsonView value={step.error ?? step.output} label={`Output of ${step.path}`} />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  )
}
