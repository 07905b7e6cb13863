import { Button, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../../api/call.ts'
import { ConfirmDialog } from '../../parts/feedback.tsx'
import { showInvisible } from '../../parts/outside-text.ts'

interface WithdrawFileProps {
  readonly name: string
  /** Path of the file in the API. */
  readonly path: string
  readonly onBegin: () => void
  readonly onDone: () => void
}

/** Deletes the content of a file, with a reason. */
export function WithdrawFile({ name, path, onBegin, onDone }: WithdrawFileProps) {
  const [opened, { open, close }] = useDisclosure()
  const [reason, setReason] = useState('')
  const withdraw = useMutation({
    mutationFn: () => apiCall('POST', `${path}/withdraw`, { body: { reason: reason.trim() } }),
    onSuccess() {
      close()
      onDone()
    },
  })
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        aria-label={`Withdraw ${showInvisible(name)}`}
        onClick={open}
      >
        Withdraw
      </Button>
      {opened && (
        <ConfirmDialog
          opened
          title="Withdraw file"
          action="Withdraw"
          color="red"
          isPending={withdraw.isPending}
          isDisabled={reason.trim() === ''}
          error={withdraw.error}
          onClose={close}
          onConfirm={() => {
            onBegin()
            withdraw.mutate()
          }}
        >
          <Text size="sm" className="outside-text">
            Deletes the content of “{showInvisible(name)}”. Its name, its SHA-256 and your reason stay in the
            case.
          </Text>
          <TextInput
            label="Reason"
            data-autofocus
            maxLength={500}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </ConfirmDialog>
      )}
    </>
  )
}
