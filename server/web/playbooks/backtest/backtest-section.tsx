import { Alert, Button, Group, Progress, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useOrganization } from '../../api/lookups.ts'
import type { Validation } from '../../api/types.ts'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { Section } from '../../parts/layout.tsx'
import { durationText } from '../../parts/time.ts'
import { ownerIn } from '../playbook.ts'
import { BacktestResult } from './backtest-result.tsx'
import { useBacktest, type ApiBacktest } from './use-backtest.ts'

const spans = [
  { value: '1', label: 'the last day' },
  { value: '7', label: 'the last 7 days' },
  { value: '30', label: 'the last 30 days' },
  { value: '90', label: 'the last 90 days' },
]

const policies = [
  { value: 'fail', label: 'new inputs: not judged' },
  { value: 'assume', label: 'new inputs: assume examples' },
  { value: 'live', label: 'new inputs: real reads' },
]

interface BacktestSectionProps {
  /** The playbook whose recorded runs are replayed. */
  readonly name: string
  /** The text in the editor, published or not. */
  readonly source: string
  readonly checked: Validation | undefined
}

/** Replays recorded alerts with the text in the editor, and shows what changes. */
export function BacktestSection({ name, source, checked }: BacktestSectionProps) {
  const backtest = useBacktest(name)
  const { progress, result, error, start, act } = backtest
  const isRunning = progress?.status === 'running'
  return (
    <Section
      title="Backtest"
      actions={
        <BacktestControls
          owner={ownerIn(source)}
          isBusy={isRunning || start.isPending}
          isReady={checked !== undefined && checked.name !== null}
          onStart={(form) => start.mutate({ ...form, source })}
        />
      }
    >
      <Stack gap="sm">
        {start.isError && <ErrorAlert error={start.error} />}
        {act.isError && <ErrorAlert error={act.error} />}
        {error !== null && <ErrorAlert error={error} />}
        {progress === undefined ? (
          <Text size="sm" c="dimmed">
            Replays recorded alerts with the text in the editor and lists the decisions that change. Other
            systems and people reply as recorded. Nothing is written.
          </Text>
        ) : (
          <BacktestProgress
            backtest={progress}
            isPending={act.isPending}
            onAct={(action) => act.mutate(action)}
          />
        )}
        {!isRunning && result !== undefined && <BacktestResult backtest={result} />}
      </Stack>
    </Section>
  )
}

interface BacktestControlsProps {
  /** Code of the organization of the playbook; undefined: it is a shared one. */
  readonly owner: string | undefined
  readonly isBusy: boolean
  readonly isReady: boolean
  readonly onStart: (form: {
    readonly organization: string | undefined
    readonly days: number
    readonly newInput: string
  }) => void
}

function BacktestControls({ owner, isBusy, isReady, onStart }: BacktestControlsProps) {
  const organization = useOrganization(useState<string | null>(owner ?? null))
  const [days, setDays] = useState('30')
  const [newInput, setNewInput] = useState('fail')
  return (
    <Group gap="xs">
      {!organization.isSingle && (
        <Select {...organization.field} label={null} aria-label="Organization" size="xs" />
      )}
      <Select
        size="xs"
        aria-label="Period"
        data={spans}
        value={days}
        allowDeselect={false}
        onChange={(value) => value !== null && setDays(value)}
      />
      <Select
        size="xs"
        aria-label="New inputs"
        w={230}
        data={policies}
        value={newInput}
        allowDeselect={false}
        onChange={(value) => value !== null && setNewInput(value)}
      />
      <Button
        size="xs"
        variant="default"
        disabled={organization.code === undefined || !isReady}
        loading={isBusy}
        onClick={() => onStart({ organization: organization.code, days: Number(days), newInput })}
      >
        Start backtest
      </Button>
    </Group>
  )
}

interface BacktestProgressProps {
  readonly backtest: ApiBacktest
  readonly isPending: boolean
  readonly onAct: (action: 'cancel' | 'resume') => void
}

function BacktestProgress({ backtest, isPending, onAct }: BacktestProgressProps) {
  const {
    status,
    done,
    total,
    same,
    changed,
    unjudged,
    remaining_ms: left,
    organization_code: code,
  } = backtest
  if (status === 'running')
    return (
      <Group gap="sm" wrap="nowrap">
        <Progress value={total === 0 ? 100 : (done / total) * 100} aria-label="Alerts replayed" flex={1} />
        <Text size="sm" role="status">
          {done.toLocaleString()} of {total.toLocaleString()} alerts
          {left !== null && left > 0 && `, about ${durationText(left)} left`}
        </Text>
        <Button size="xs" variant="default" loading={isPending} onClick={() => onAct('cancel')}>
          Cancel
        </Button>
      </Group>
    )
  return (
    <>
      <Text size="sm" role="status">
        {total === 0
          ? `No alert of ${code} was investigated by this playbook in this time.`
          : `${done.toLocaleString()} alerts of ${code}: ${same.toLocaleString()} same, ${changed.toLocaleString()} changed, ${unjudged.toLocaleString()} not judged.`}
      </Text>
      {status !== 'completed' && (
        <Alert color="orange" variant="light" title={status === 'cancelled' ? 'Cancelled' : 'Failed'}>
          <Group gap="sm">
            <Text size="sm">
              {(total - done).toLocaleString()} of {total.toLocaleString()} alerts are left.
            </Text>
            <Button size="xs" variant="default" loading={isPending} onClick={() => onAct('resume')}>
              Resume
            </Button>
          </Group>
        </Alert>
      )}
    </>
  )
}
