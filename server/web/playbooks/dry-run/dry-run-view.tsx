import { Alert, Button, Grid, Group, Select, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { durationText } from '../../parts/time/duration-text.ts'
import { JsonView } from '../../parts/json/json-view.tsx'
import { Section } from '../../parts/section.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { StateBadge } from '../../parts/states/states.tsx'
import { StoredErrorView } from '../../parts/states/stored-error-view.tsx'
import { answerText, type Followed } from './dry-run.ts'
import './dry-run.css'
import { DryRunStepList } from './dry-run-step-list.tsx'
import { DryRunStepPanel } from './dry-run-step-panel.tsx'
import type { Taken } from './use-dry-run.ts'

interface DryRunViewProps {
  readonly taken: Taken
  readonly followed: Followed
  /** The source has changed since this dry run. */
  readonly isOld: boolean
  readonly onSelect: (path: string) => void
  readonly onAnswer: (question: string, way: number) => void
  readonly onClose: () => void
}

/** What a playbook would do: what was asked, what was not done, and how it would end. */
export function DryRunView(props: DryRunViewProps) {
  const { taken, followed, isOld, onSelect, onAnswer, onClose } = props
  const { answer, about, selected } = taken
  const { steps, questions, end } = followed
  const writes = steps.filter(({ write }) => write !== undefined).length
  const shown =
    steps.find(({ path }) => path === selected) ?? steps.find(({ write }) => write) ?? steps.at(-1)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [answer])
  return (
    <div ref={place} tabIndex={-1} className="dry-run">
      <Section
        title={`Dry run with ${about}`}
        actions={
          <Button size="xs" variant="subtle" onClick={onClose}>
            Close
          </Button>
        }
      >
        <Stack gap="sm">
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
          {questions.length > 0 && (
            <Group align="flex-end">
              {questions.map(({ question, chosen }) => (
                <Select
                  key={question.path}
                  size="xs"
                  label={`If ${question.path} is answered`}
                  data={question.ways.map((way, index) => ({ value: String(index), label: answerText(way) }))}
                  value={String(chosen)}
                  onChange={(value) => value !== null && onAnswer(question.path, Number(value))}
                  allowDeselect={false}
                />
              ))}
            </Group>
          )}
          <Group gap="sm">
            {end === null ? (
              <Text size="sm">Too many paths: this one was not run.</Text>
            ) : (
              <>
                <Text size="sm">Ends as</Text>
                <StateBadge text={end.status} color={end.status === 'completed' ? 'green' : 'red'} />
                {end.duration_ms > 0 && (
                  <Text size="sm" c="dimmed">
                    after waiting {durationText(end.duration_ms)}
                  </Text>
                )}
              </>
            )}
          </Group>
          {end?.error && <StoredErrorView error={end.error} />}
          <Grid>
            <Grid.Col span={{ base: 12, md: 5 }}>
              <DryRunStepList steps={steps} selected={shown?.path} onSelect={onSelect} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 7 }}>{shown && <DryRunStepPanel step={shown} />}</Grid.Col>
          </Grid>
          {end !== null && end.output !== null && (
            <div>
              <Text size="sm" fw={600} mb={4}>
                Run output
              </Text>
              <JsonView value={end.output} label="Dry run output" />
            </div>
          )}
        </Stack>
      </Section>
    </div>
  )
}
