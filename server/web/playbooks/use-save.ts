import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import type { PlaybookDetail } from './playbook.ts'

interface SaveOptions {
  readonly text: string
  /** As the source says; null where it has errors. */
  readonly name: string | null
  /** The version that the text was begun on; null where none is in force. */
  readonly base: { readonly name: string; readonly hash: string } | null
  readonly onSaved: () => void
}

/** Puts a source in force: in the place of the version that it was begun on, or as another playbook. */
export function useSave({ text, name, base, onSaved }: SaveOptions) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const isNew = base === null || name !== base.name
  const put = useMutation({
    /** `over`: hash of the version that it takes the place of, which its author has seen. */
    mutationFn: (over: string | undefined) =>
      call<PlaybookDetail>('PUT', `/playbooks/${encodeURIComponent(name ?? '')}`, {
        body: { source: text },
        ...(over !== undefined && { headers: { 'if-match': `"${over}"` } }),
      }),
    onSuccess(saved) {
      onSaved()
      notifications.show({ color: 'green', message: `${saved.name} is in force.` })
      queries.setQueryData(['playbook', saved.name], saved)
      void queries.invalidateQueries({ queryKey: ['playbook'] })
      void queries.invalidateQueries({ queryKey: ['versions'] })
      void queries.resetQueries({ queryKey: ['list', '/playbooks'] })
      navigate(`/playbooks/${saved.name}`)
    },
  })
  const { code } = problemOf(put.error)
  return {
    isNew,
    isPending: put.isPending,
    save: () => put.mutate(isNew ? undefined : base.hash),
    saveOver: (hash: string) => put.mutate(hash),
    refusal:
      put.error === null
        ? undefined
        : code === 'precondition_failed'
          ? ('changed' as const)
          : isNew && code === 'precondition_required'
            ? ('name taken' as const)
            : put.error,
  }
}
