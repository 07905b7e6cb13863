import { Button, Group, Stack, Text } from '@mantine/core'
import { Command } from '../parts/command.tsx'

/** The value of a key, which the server does not keep. */
export function ShownOnce({ value, onDone }: { readonly value: string; readonly onDone: () => void }) {
  return (
    <Stack>
      <Text size="sm">This is the key. It is shown now and never again: put it where it is used.</Text>
      <Command text={value} label="The key" />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have kept it</Button>
      </Group>
    </Stack>
  )
}
