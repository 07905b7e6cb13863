import { stepName } from '../../../../core/engine/journal/step-name.ts'
import { Grid, Group, Stack, Text, Title, UnstyledButton, Badge } from '@mantine/core'
import { useState } from 'react'
import { ErrorAlert, StoredErrorView } from '../../parts/feedback.tsx'
import { PageLoading } from '../../parts/layout.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import { StateBadge, stepLooks } from '../../parts/states.tsx'
import { JsonView } from '../../parts/text-view.tsx'
import { useComparedRuns, type ApiBacktestRow, type ApiRunSide } from './use-backtest.ts'

interface Decision {
  readonly status: string
  readonly verdict: string | null
  readonly severity: string | null
}
type Step = ApiRunSide['steps'][number]

interface ComparedRunsProps {
  readonly backtest: string
  readonly run: string
  readonly row: ApiBacktestRow
}

/** Both runs of an alert of a backtest, replayed again. */
export function ComparedRunsView({ backtest, run, row }: ComparedRunsProps) {
  const { data, error, isPending } = useComparedRuns(backtest, run, true)
  if (isPending) return <PageLoading />
  if (error !== null) return <ErrorAlert error={error} />
  return (
    <ComparedSides
      before={{ title: 'Before', side: data.before, decision: row.before }}
      after={{ title: 'After', side: data.after, decision: row.after }}
    />
  )
}

interface Compared {
  readonly title: string
  readonly side: ApiRunSide | null
  readonly decision: Decision | null
}

/** Two runs of an alert side by side; a step that is selected is shown on both sides. */
export function ComparedSides({ before, after }: { readonly before: Compared; readonly after: Compared }) {
  const [path, setPath] = useState<string>()
  const other = (side: ApiRunSide | null) => new Map(side?.steps.map((step) => [step.path, step]))
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <RunSide {...before} others={other(after.side)} selected={path} onSelect={setPath} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <RunSide {...after} others={other(before.side)} selected={path} onSelect={setPath} />
      </Grid.Col>
    </Grid>
  )
}

interface RunSideProps extends Compared {
  /** Steps of the other run by path. */
  readonly others: ReadonlyMap<string, Step>
  readonly selected: string | undefined
  readonly onSelect: (path: string) => void
}

/** More rows would slow the page down. */
const maxRows = 300

function RunSide({ title, side, decision, others, selected, onSelect }: RunSideProps) {
  const step = side?.steps.find(({ path }) => path === selected)
  const steps = side?.steps ?? []
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {decision !== null && (
        <Text size="sm" className="outside-text">
          {decision.status}, verdict {decision.verdict ?? 'not set'}, severity{' '}
          {decision.severity ?? 'not set'}
        </Text>
      )}
      {side?.not_started != null && <Text size="sm">{showInvisible(side.not_started)}</Text>}
      {side?.error != null && <StoredErrorView error={side.error} />}
      <div className="dry-run-steps" role="group" aria-label={`Steps ${title.toLowerCase()}`}>
        {steps.slice(0, maxRows).map((each) => (
          <UnstyledButton
            key={each.path}
            className="dry-run-step"
            aria-pressed={each.path === selected}
            onClick={() => onSelect(each.path)}
          >
            <StateBadge {...stepLooks[each.state]} />
            <Text size="sm" truncate title={each.path}>
              {showInvisible(stepName(each))}
            </Text>
            <Group gap={4} wrap="nowrap">
              <Text size="xs" c="dimmed" truncate>
                {each.kind}
              </Text>
              {isOther(each, others.get(each.path)) && (
                <Badge size="xs" color="orange">
                  differs
                </Badge>
              )}
            </Group>
          </UnstyledButton>
        ))}
      </div>
      {steps.length > maxRows && (
        <Text size="sm">{(steps.length - maxRows).toLocaleString()} more steps</Text>
      )}
      {step !== undefined && (
        <>
          <Text size="sm" fw={600}>
            Input
          </Text>
          <JsonView value={step.input} label={`Input of ${step.path} (${title.toLowerCase()})`} />
          <Text size="sm" fw={600}>
            Output
          </Text>
          <JsonView value={step.output} label={`Output of ${step.path} (${title.toLowerCase()})`} />
        </>
      )}
    </Stack>
  )
}

const isOther = (step: Step, other: Step | undefined): boolean =>
  other?.state !== step.state ||
  JSON.stringify([step.input, step.output]) !== JSON.stringify([other.input, other.output])
