import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { PauseIcon, StepForwardIcon } from 'lucide-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { apiCall } from '../api/call.ts'
import { trimmedText, useUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useSession } from '../session/session.ts'

/** Pauses or resumes the runs of all organizations. For admins of all organizations. */
export function PauseEngine({ isPaused }: { readonly isPaused: boolean }) {
  const { role, organization_codes: codes } = useSession()
  const queries = useQueryClient()
  const [isAsking, { open, close }] = useDisclosure()
  const [reason, setReason, forget] = useUnsavedInput({
    place: 'Reason for pausing all runs',
    empty: '',
    textOf: trimmedText,
  })
  const change = useMutation({
    mutationFn: () =>
      isPaused
        ? apiCall('POST', '/engine/resume')
        : apiCall('POST', '/engine/pause', { body: { reason: reason.trim() } }),
    onSuccess() {
      close()
      forget()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['engine'] }),
  })
  if (role !== 'admin' || codes !== null) return null
  if (isPaused)
    return (
      <Group gap="xs">
        {change.isError && <ErrorAlert error={change.error} />}
        <Button
          size="xs"
          leftSection={<StepForwardIcon />}
          loading={change.isPending}
          onClick={() => change.mutate()}
        >
          Resume runs
        </Button>
      </Group>
    )
  return (
    <>
      <Button size="xs" variant="default" leftSection={<PauseIcon />} onClick={open}>
        Pause all runs
      </Button>
      <Dialog opened={isAsking} onClose={close} title="Pause all runs">
        <form onSubmit={handleSubmit(() => change.mutate())}>
          <Stack>
            <Text size="sm">
              Runs of all organizations stop after their current step, and no new runs start. Alerts are still
              accepted and wait. The pause lasts until someone resumes runs, also across restarts.
            </Text>
            <Textarea
              label="Reason"
              description="Shown on this page and recorded in the audit log."
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
              maxLength={500}
              autosize
              minRows={2}
              required
              data-autofocus
            />
            {change.isError && <ErrorAlert error={change.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Back
              </Button>
              <Button type="submit" color="red" loading={change.isPending} disabled={reason.trim() === ''}>
                Pause
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  )
}
