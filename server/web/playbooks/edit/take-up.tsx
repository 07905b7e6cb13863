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
        <Text size="sm">
          What you typed in the editor is not saved. The version {version?.slice(0, 12)} would take its place,
          and what you typed would be lost.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onKeep}>
            Keep what I typed
          </Button>
          <Button color="red" onClick={onTakeUp}>
            Restore
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
