import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/feedback.tsx'

interface ReasonDialogProps {
  readonly opened: boolean
  readonly title: string
  /** Text of the button. */
  readonly action: string
  readonly isPending: boolean
  readonly isDisabled?: boolean
  /** Why it failed; null otherwise. */
  readonly error?: unknown
  readonly children?: ReactNode
  readonly onClose: () => void
  readonly onConfirm: (reason: string) => void
}

/** Asks why a version is published. The reason is kept while the dialog is closed. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { opened, title, action, isPending, isDisabled = false, error = null, onClose, onConfirm } = props
  const [reason, setReason] = useState('')
  const given = reason.trim()
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size="xl">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (given !== '' && !isDisabled && !isPending) onConfirm(given)
        }}
      >
        <Stack>
          <Textarea
            label="Reason"
            description="Shown in the list of versions and in the audit log"
            required
            autosize
            minRows={2}
            maxLength={1_000}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
          {props.children}
          {error !== null && <ErrorAlert error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} disabled={isDisabled || given === ''}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
