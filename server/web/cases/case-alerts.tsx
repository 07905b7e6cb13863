import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import type { ApiAlert, ApiCase, ApiCaseDetail } from '../api/types.ts'
import { useIdempotencyKey } from '../forms/form-state.ts'
import { ConfirmDialog } from '../parts/feedback.tsx'
import { useNavigateWhileMounted } from '../parts/hooks.ts'
import { TextLink } from '../parts/layout.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { AlertStatusBadge } from '../parts/states.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { DateTime } from '../parts/times.tsx'

interface CaseAlertsProps {
  readonly found: ApiCaseDetail
  readonly path: string
  readonly etag: string | null
  readonly mayEdit: boolean
  /** The numbers of deleted alerts and runs; null if none were deleted. */
  readonly loss: string | null
  readonly onFailed: () => void
}

/** The newest alerts of a case, with the reason why each is in it. Selected ones can be split to a new case. */
export function CaseAlerts({ found, path, etag, mayEdit, loss, onFailed }: CaseAlertsProps) {
  const { case_id: id, alerts } = found
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const listed = alerts.filter((alert) => chosen.has(alert.alert_id)).map((alert) => alert.alert_id)
  const toggle = (alert: string): void => {
    const next = new Set(chosen)
    if (!next.delete(alert)) next.add(alert)
    choose(next)
  }
  const canSplit = mayEdit && alerts.length > 1
  return (
    <SmallTable
      title="Alerts"
      actions={
        <Group gap="xs">
          {canSplit && listed.length > 0 && (
            <SplitButton found={found} path={path} etag={etag} alerts={listed} onFailed={onFailed} />
          )}
          <TextLink href={`/alerts?case=${id}`}>View all</TextLink>
        </Group>
      }
      rows={alerts}
      columns={canSplit ? [choiceColumn(chosen, toggle), ...alertColumns] : alertColumns}
      idOf={(alert) => alert.alert_uuid}
      mah={420}
      empty={loss ?? 'No alerts: the run was started manually'}
      note={loss}
    />
  )
}

const choiceColumn = (
  chosen: ReadonlySet<string>,
  toggle: (alert: string) => void,
): SmallColumn<ApiAlert> => ({
  title: 'Select',
  isNarrow: true,
  cell: ({ alert_id: id }) => (
    <Checkbox
      size="xs"
      aria-label={`Select ${id.toUpperCase()}`}
      checked={chosen.has(id)}
      onChange={() => toggle(id)}
    />
  ),
})

const alertColumns: readonly SmallColumn<ApiAlert>[] = [
  {
    title: 'Alert',
    cell: (alert) => (
      <>
        <TextLink href={`/alerts/${alert.alert_id}`} isStrong>
          {alert.alert_id.toUpperCase()}
        </TextLink>{' '}
        <OutsideText span text={alert.alert_type ?? ''} />
        {alert.grouped_with !== null && (
          <OutsideText
            size="xs"
            c="dimmed"
            text={`Repeats ${alert.grouped_with.toUpperCase()}: ${alert.grouped_because ?? ''}`}
          />
        )}
        {alert.joined_because !== null && (
          <OutsideText size="xs" c="dimmed" text={`Joined because ${alert.joined_because}`} />
        )}
      </>
    ),
  },
  {
    title: 'Status',
    isNarrow: true,
    cell: (alert) => <AlertStatusBadge status={alert.investigation_status} />,
  },
  { title: 'Created', isNarrow: true, cell: (alert) => <DateTime at={alert.created_at} /> },
]

interface SplitButtonProps extends Pick<CaseAlertsProps, 'found' | 'path' | 'etag' | 'onFailed'> {
  /** Ids of the selected alerts. */
  readonly alerts: readonly string[]
}

function SplitButton({ found, path, etag, alerts, onFailed }: SplitButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const [title, setTitle] = useState('')
  const goOn = useNavigateWhileMounted()
  const once = useIdempotencyKey()
  const split = useMutation({
    mutationFn() {
      const body = { alerts, ...(title.trim() !== '' && { title: title.trim() }) }
      const headers = { 'if-match': etag ?? '*', ...once.headersFor(body) }
      return apiCall<ApiCase>('POST', `${path}/split`, { body, headers })
    },
    // Show the present state before another attempt.
    onError: onFailed,
    onSuccess({ case_id: id }) {
      once.done()
      close()
      goOn(`/cases/${id}`)
    },
  })
  const count = `${alerts.length} ${alerts.length === 1 ? 'alert' : 'alerts'}`
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open}>
        Split to new case …
      </Button>
      <ConfirmDialog
        opened={opened}
        title="Split to new case"
        action={`Split ${count}`}
        isPending={split.isPending}
        error={split.error}
        onClose={close}
        onConfirm={() => split.mutate()}
      >
        <Text size="sm">
          Moves {count} with all runs and questions to a new case. Notes and files stay in{' '}
          {found.case_id.toUpperCase()}.
        </Text>
        <TextInput
          label="Title of the new case"
          placeholder="The title of this case"
          maxLength={500}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        />
      </ConfirmDialog>
    </>
  )
}
