import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/states/refusal.tsx'

interface RotateTokenProps {
  /** Of the connection, in the API. */
  readonly path: string
  readonly onDone: () => void
}

/** Gives the addresses to which the other system sends another token, after a question: the old ones end at once. */
export function RotateToken({ path, onDone }: RotateTokenProps) {
  const [opened, { open, close }] = useDisclosure()
  const rotate = useMutation({
    mutationFn: () => call('POST', `${path}/rotate-token`),
    onSuccess() {
      close()
      onDone()
    },
  })
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Rotate token
      </Button>
      <Modal opened={opened} onClose={close} title="Rotate token?">
        <Stack>
          <Text size="sm">
            Rotate the token if someone else may have seen it. The old addresses stop working immediately:
            update the other system with the new manifest.
          </Text>
          {rotate.isError && <Refusal error={rotate.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Back
            </Button>
            <Button color="red" loading={rotate.isPending} onClick={() => rotate.mutate()}>
              Rotate
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
