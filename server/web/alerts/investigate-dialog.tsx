import { Alert as MantineAlert, Button, Group, List, Modal, ScrollArea, Stack } from '@mantine/core'
import type { Alert } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { showInvisible } from '../parts/show-invisible.ts'

interface InvestigateDialogProps {
  readonly alerts: readonly Alert[]
  readonly opened: boolean
  readonly isPending: boolean
  /** Why it was refused; null where it was not. */
  readonly error: unknown
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Names the alerts that are investigated again, and says what is repeated, before it is done. */
export function InvestigateDialog(props: InvestigateDialogProps) {
  const { alerts, opened, isPending, error, onClose, onConfirm } = props
  return (
    <Modal opened={opened} onClose={onClose} title="Investigate again, from the beginning" size="lg">
      <Stack>
        <MantineAlert color="orange" variant="light" title="All that took effect is done again">
          The playbook that fits now runs as a whole, and does anew what was done to other systems. To go on
          from where an investigation failed, retry its run instead.
        </MantineAlert>
        <ScrollArea.Autosize mah={280}>
          <List size="sm">
            {alerts.map(({ alert_id: id, alert_type: type }) => (
              <List.Item key={id} className="outside-text">
                <b>{id.toUpperCase()}</b> {type !== null && showInvisible(type)}
              </List.Item>
            ))}
          </List>
        </ScrollArea.Autosize>
        {error !== null && <Refusal error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button loading={isPending} onClick={onConfirm}>
            Investigate {alerts.length} {alerts.length === 1 ? 'alert' : 'alerts'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
