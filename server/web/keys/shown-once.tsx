import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'

/** The value of a key, which the server does not keep. */
export function ShownOnce({ value, onDone }: { readonly value: string; readonly onDone: () => void }) {
  return (
    <Stack>
      <Text size="sm">This is the key. It is shown now and never again: put it where it is used.</Text>
      <Code block className="outside-text">
        {value}
      </Code>
      <Group justify="flex-end">
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onDone}>I have kept it</Button>
      </Group>
    </Stack>
  )
}
