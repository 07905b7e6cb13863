import { Alert, Button, Grid, Group, Select, Stack, Text, UnstyledButton, Paper, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { durationText } from '../../parts/time.ts'
import { JsonView } from '../../parts/text-view.tsx'
import { Section } from '../../parts/layout.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import { StateBadge, stepLooks } from '../../parts/states.tsx'
import { StoredErrorView } from '../../parts/feedback.tsx'
import { answerText, type DryRunPath, type DryRunResult, type useDryRun, type DryRunStep } from './dry-run.ts'
import '../playbooks.css'

interface DryRunViewProps {
  readonly dry: ReturnType<typeof useDryRun>
  /** The text in the editor now. */
  readonly source: string
}

/** The result of a dry run: the steps of one path, and its end. Nothing without a dry run. */
export function DryRunView({ dry, source }: DryRunViewProps) {
  const { taken, followed } = dry
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [taken?.answer])
  if (taken === undefined || followed === undefined) return null
  const { steps, end } = followed
  const shown =
    steps.find(({ path }) => path === taken.selected) ?? steps.find(({ write }) => write) ?? steps.at(-1)
  return (
    <div ref={place} tabIndex={-1} className="dry-run">
      <Section
        title={`Dry run with ${taken.about}`}
        actions={
          <Button size="xs" variant="subtle" onClick={dry.clear}>
            Close
          </Button>
        }
      >
        <Stack gap="sm">
          <Remarks taken={taken} followed={followed} isOld={taken.source !== source} />
          <Answers followed={followed} onAnswer={dry.choose} />
          <End end={end} />
          {end?.error && <StoredErrorView error={end.error} />}
          <Grid>
            <Grid.Col span={{ base: 12, md: 5 }}>
              <DryRunStepList steps={steps} selected={shown?.path} onSelect={dry.select} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 7 }}>{shown && <DryRunStepPanel step={shown} />}</Grid.Col>
          </Grid>
          {end !== null && end.output !== null && (
            <Part title="Run output" value={end.output} label="Dry run output" />
          )}
        </Stack>
      </Section>
    </div>
  )
}

interface RemarksProps {
  readonly taken: DryRunResult
  readonly followed: DryRunPath
  /** The source has changed since the dry run. */
  readonly isOld: boolean
}

function Remarks({ taken: { answer }, followed: { steps }, isOld }: RemarksProps) {
  const writes = steps.filter(({ write }) => write !== undefined).length
  return (
    <>
      <Alert color="blue" title="No writes made">
        {writes === 0
          ? 'This path has no writes.'
          : `This path has ${writes} ${writes === 1 ? 'write' : 'writes'}.`}{' '}
        Reads were real; after a write, sample output is assumed.
      </Alert>
      {isOld && (
        <Text size="sm" c="dimmed">
          The source has changed since this dry run.
        </Text>
      )}
      {answer.would_not_start !== null && (
        <Alert color="orange" title="This alert would not trigger the playbook">
          {showInvisible(answer.would_not_start)}
        </Alert>
      )}
      {answer.correlation.map((reason) => (
        <Text key={reason} size="sm" className="outside-text">
          Shares a case with other alerts if {showInvisible(reason)}.
        </Text>
      ))}
    </>
  )
}

interface AnswersProps {
  readonly followed: DryRunPath
  readonly onAnswer: (question: string, way: number) => void
}

/** The assumed answer of each question on the path. */
function Answers({ followed: { questions }, onAnswer }: AnswersProps) {
  if (questions.length === 0) return null
  return (
    <Group align="flex-end">
      {questions.map(({ question, chosen }) => (
        <Select
          key={question.path}
          size="xs"
          label={`Answer to ${question.path}`}
          data={question.ways.map((way, index) => ({ value: String(index), label: answerText(way) }))}
          value={String(chosen)}
          onChange={(value) => value !== null && onAnswer(question.path, Number(value))}
          allowDeselect={false}
        />
      ))}
    </Group>
  )
}

function End({ end }: Pick<DryRunPath, 'end'>) {
  if (end === null) return <Text size="sm">Too many paths: this one was not run.</Text>
  return (
    <Group gap="sm">
      <Text size="sm">Ends as</Text>
      <StateBadge text={end.status} color={end.status === 'completed' ? 'green' : 'red'} />
      {end.duration_ms > 0 && (
        <Text size="sm" c="dimmed">
          after waiting {durationText(end.duration_ms)}
        </Text>
      )}
    </Group>
  )
}

interface DryRunStepListProps {
  readonly steps: readonly DryRunStep[]
  readonly selected: string | undefined
  readonly onSelect: (path: string) => void
}

/** More rows would slow the page down. */
const maxRows = 500

/** The steps in order. Writes are highlighted. */
function DryRunStepList({ steps, selected, onSelect }: DryRunStepListProps) {
  return (
    <div className="dry-run-steps" role="group" aria-label="Dry run steps">
      {steps.slice(0, maxRows).map((step) => (
        <UnstyledButton
          key={step.path}
          className="dry-run-step"
          aria-pressed={step.path === selected}
          onClick={() => onSelect(step.path)}
        >
          <DryRunState step={step} />
          <Text size="sm" truncate title={step.path}>
            {showInvisible(step.name)}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {step.kind}
          </Text>
        </UnstyledButton>
      ))}
      {steps.length > maxRows && (
        <Text size="sm" c="dimmed" p="xs">
          {steps.length - maxRows} more steps: see the API response
        </Text>
      )}
    </div>
  )
}

function DryRunState({ step }: { readonly step: DryRunStep }) {
  return (
    <StateBadge
      {...(step.write === undefined
        ? stepLooks[step.state]
        : {
            text: step.kind === 'state' ? 'Not stored' : 'Not called',
            color: 'orange',
          })}
    />
  )
}

const sources = {
  fixtures: 'from the fixtures',
  example: 'from the example of the skill',
  schema: 'generated from the schema of the skill',
  state: 'the state with this change',
} as const

/** One step of a dry run. */
function DryRunStepPanel({ step }: { readonly step: DryRunStep }) {
  const { path, kind, write, error, input, output } = step
  return (
    <Paper withBorder p="md" component="section" aria-label="Step">
      <Stack gap="sm">
        <Group gap="sm">
          <Title order={3} size="h4" className="outside-text">
            {showInvisible(step.name)}
          </Title>
          <DryRunState step={step} />
          <Text size="sm" c="dimmed">
            {showInvisible(step.name === path ? kind : path)}
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
            {write.undo !== null && (
              <>
                {' '}
                Its containment would be undone after {write.undo.after}
                {write.undo.unless !== null && (
                  <>
                    {' '}
                    unless <code>{showInvisible(write.undo.unless)}</code>
                  </>
                )}
                .
              </>
            )}
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
