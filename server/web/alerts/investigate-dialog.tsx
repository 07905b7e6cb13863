import { Alert as MantineAlert, Button, Group, List, Modal, ScrollArea, Stack, Text } from '@mantine/core'
import type { Alert } from '../api/types.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { LastEffectsOf } from './last-effects-of.tsx'

/** For so many alerts it is looked up what was done. */
const maxLookedUp = 10

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
    <Modal opened={opened} onClose={onClose} title="Investigate again from the start" size="lg">
      <Stack>
        <MantineAlert color="orange" variant="light" title="All actions will be repeated">
          The matching playbook runs from the start and repeats its actions on other systems. To continue from
          a failed step, retry the run instead.
        </MantineAlert>
        <ScrollArea.Autosize mah={360}>
          <List size="sm" aria-label="Alerts">
            {alerts.map(({ alert_id: id, alert_type: type }) => (
              <List.Item key={id} className="outside-text">
                <b>{id.toUpperCase()}</b> {type !== null && showInvisible(type)}
              </List.Item>
            ))}
          </List>
          {opened && (
            <Stack gap="sm" mt="sm">
              {alerts.slice(0, maxLookedUp).map(({ alert_id: id }) => (
                <LastEffectsOf key={id} id={id} />
              ))}
            </Stack>
          )}
          {alerts.length > maxLookedUp && (
            <Text size="sm" mt="sm">
              See the runs of the other {alerts.length - maxLookedUp} alerts for their actions.
            </Text>
          )}
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
