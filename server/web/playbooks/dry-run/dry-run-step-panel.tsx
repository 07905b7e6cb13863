import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { JsonView } from '../../parts/json/json-view.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { StoredErrorView } from '../../parts/states/stored-error-view.tsx'
import { DryRunState } from './dry-run-step-list.tsx'
import type { DryRunStep } from './dry-run.ts'

const sources = {
  fixtures: 'from the fixtures',
  example: 'from the example of the skill',
  schema: 'generated from the schema of the skill',
} as const

/** One step of a dry run: what it was given, and what it gave or is assumed to give. */
export function DryRunStepPanel({ step }: { readonly step: DryRunStep }) {
  const { path, kind, write, error, input, output } = step
  return (
    <Paper withBorder p="md" component="section" aria-label="Step">
      <Stack gap="sm">
        <Group gap="sm">
          <Title order={3} size="h4" className="outside-text">
            {showInvisible(path)}
          </Title>
          <DryRunState step={step} />
          <Text size="sm" c="dimmed">
            {kind}
          </Text>
        </Group>
        {write !== undefined && (
          <Text size="sm">
            Would call <code>{write.skill}</code>
            {write.connection !== null && (
              <>
                {' '}
                via the connection <code>{write.connection}</code>
              </>
            )}{' '}
            with the input below. Not called.
          </Text>
        )}
        {error !== null && <StoredErrorView error={error} />}
        {input !== null && <Part title="Input" value={input} label={`Input of ${path}`} />}
        {output !== null && (
          <Part
            title={write === undefined ? 'Output' : `Assumed output (${sources[write.output_from]})`}
            value={output}
            label={`Output of ${path}`}
          />
        )}
      </Stack>
    </Paper>
  )
}

function Part({
  title,
  value,
  label,
}: {
  readonly title: string
  readonly value: unknown
  readonly label: string
}) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <JsonView value={value} label={label} />
    </div>
  )
}
