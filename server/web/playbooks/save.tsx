import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call } from '../api/call.ts'
import { Refusal } from '../parts/refusal.tsx'
import type { PlaybookDetail } from './playbook.ts'

interface SaveProps {
  readonly text: string
  /** Of the version that is edited; null for a new playbook. */
  readonly hash: string | null
  /** As the source says; null where it has errors. */
  readonly name: string | null
  readonly isChanged: boolean
}

/** Puts the source in force, where it has no errors. */
export function Save({ text, hash, name, isChanged }: SaveProps) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const save = useMutation({
    mutationFn: () =>
      call<PlaybookDetail>('PUT', `/playbooks/${encodeURIComponent(name ?? '')}`, {
        body: { source: text },
        ...(hash !== null && { headers: { 'if-match': `"${hash}"` } }),
      }),
    onSuccess(saved) {
      notifications.show({ color: 'green', message: `${saved.name} is in force.` })
      void queries.invalidateQueries({ queryKey: ['playbook'] })
      void queries.invalidateQueries({ queryKey: ['versions'] })
      void queries.resetQueries({ queryKey: ['list', '/playbooks'] })
      navigate(`/playbooks/${saved.name}`)
    },
  })
  return (
    <>
      {save.isError && <Refusal error={save.error} />}
      <Button
        loading={save.isPending}
        disabled={name === null || (!isChanged && hash !== null)}
        onClick={() => save.mutate()}
      >
        Save and put in force
      </Button>
    </>
  )
}
