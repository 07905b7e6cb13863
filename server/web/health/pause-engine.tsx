import { Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/refusal.tsx'
import { useSession } from '../session/session.ts'

/** Pauses the runs of all organizations, or lets them go on; for administrators of all organizations. */
export function PauseEngine({ isPaused }: { readonly isPaused: boolean }) {
  const { role, organization_codes: codes } = useSession()
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const change = useMutation({
    mutationFn: () =>
      isPaused
        ? call('POST', '/engine/resume')
        : call('POST', '/engine/pause', { body: { reason: reason.trim() } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['engine'] }),
  })
  if (role !== 'admin' || codes !== null) return null
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate()
      }}
    >
      <Group gap="xs">
        {change.isError && <Refusal error={change.error} />}
        {!isPaused && (
          <TextInput
            size="xs"
            aria-label="Why runs are paused"
            placeholder="Why: shown to whoever asks"
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            maxLength={500}
            w={240}
          />
        )}
        <Button
          type="submit"
          size="xs"
          {...(!isPaused && { color: 'orange', variant: 'light' })}
          loading={change.isPending}
          disabled={!isPaused && reason.trim() === ''}
        >
          {isPaused ? 'Let runs go on' : 'Pause all runs'}
        </Button>
      </Group>
    </form>
  )
}
