import { Button, Group, Modal, Stack, Text } from '@mantine/core'

interface TakeUpProps {
  /** Hash of the earlier version; undefined: nothing is asked. */
  readonly version: string | undefined
  readonly onKeep: () => void
  readonly onTakeUp: () => void
}

/** Asks before an earlier version takes the place of what was typed and not saved. */
export function TakeUp({ version, onKeep, onTakeUp }: TakeUpProps) {
  return (
    <Modal opened={version !== undefined} onClose={onKeep} title="Restore an earlier version">
      <Stack>
        <Text size="sm">Your unsaved changes will be replaced by version {version?.slice(0, 12)}.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onKeep}>
            Keep my changes
          </Button>
          <Button color="red" onClick={onTakeUp}>
            Restore
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
