import { Button, Radio, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import type { ApiContainment } from '../api/types.ts'
import { ConfirmDialog } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { DateTime } from '../parts/times.tsx'
import { useMay } from '../session/session.ts'

const extendable: readonly ApiContainment['state'][] = ['active', 'failed', 'overdue']

/** The choices, with the body of the request. */
const extensions = [
  { text: '1 hour longer', body: { by: '1h' } },
  { text: '4 hours longer', body: { by: '4h' } },
  { text: '1 day longer', body: { by: '1d' } },
  { text: '1 week longer', body: { by: '7d' } },
  { text: 'Until people undo it', body: { until: null } },
] as const

/** Changes when a containment is undone. */
export function ExtendButton({ one }: { readonly one: ApiContainment }) {
  const { containment_id: id, action, expires_at: expiresAt, state } = one
  const mayExtend = useMay('runs:write')
  const [opened, { open, close }] = useDisclosure()
  const [chosen, setChosen] = useState('1')
  const queries = useQueryClient()
  const extending = useMutation({
    mutationFn: () =>
      apiCall('POST', `/containments/${id}/extend`, { body: extensions[Number(chosen)]!.body }),
    async onSuccess() {
      close()
      await queries.invalidateQueries({ queryKey: ['list', '/containments'] })
      await queries.invalidateQueries({ queryKey: ['case'] })
    },
  })
  if (!mayExtend || !extendable.includes(state)) return null
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open}>
        Extend
      </Button>
      <ConfirmDialog
        opened={opened}
        title="Extend this containment?"
        action="Extend"
        isPending={extending.isPending}
        error={extending.error}
        onClose={close}
        onConfirm={() => extending.mutate()}
      >
        <Text size="sm" className="outside-text">
          {showInvisible(action.skill)}{' '}
          {expiresAt === null ? (
            'has no expiry: only people undo it.'
          ) : (
            <>
              {state === 'overdue' ? 'expired' : 'expires'} <DateTime at={expiresAt} />.
            </>
          )}
        </Text>
        <Radio.Group label="Keep it in effect" value={chosen} onChange={setChosen}>
          <Stack gap="xs" mt="xs">
            {extensions.map(({ text }, index) => (
              <Radio key={text} value={String(index)} label={text} />
            ))}
          </Stack>
        </Radio.Group>
      </ConfirmDialog>
    </>
  )
}
