import { Button, Group, Stack, Text } from '@mantine/core'
import { Command } from '../parts/command.tsx'

/** The value of a key, which the server does not keep. */
export function ShownOnce({ value, onDone }: { readonly value: string; readonly onDone: () => void }) {
  return (
    <Stack>
      <Text size="sm">Copy the key now: it is not shown again.</Text>
      <Command text={value} label="API key" />
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}
