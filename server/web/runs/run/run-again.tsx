import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { JsonView } from '../../parts/json/json-view.tsx'
import type { Step } from '../../api/types.ts'

interface RunAgainProps {
  readonly step: Step
  readonly isPending: boolean
  readonly onRunAgain: () => void
}

/** Has a step run again of which nobody knows whether it happened, and asks before it does: it must not happen twice. */
export function RunAgain({ step, isPending, onRunAgain }: RunAgainProps) {
  const [isAsking, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Run again
      </Button>
      <Modal opened={isAsking} onClose={close} title={`Run ${step.kind} again?`}>
        <Stack>
          <Text size="sm">
            If it did happen, it will happen twice, which its skill forbids. Check the other system first.
          </Text>
          <JsonView value={step.input} label={`Input of ${step.path}`} title="Input" level={3} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Back
            </Button>
            <Button
              color="red"
              loading={isPending}
              onClick={() => {
                close()
                onRunAgain()
              }}
            >
              It did not happen: run again
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
