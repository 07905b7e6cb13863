import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { problemOf } from '../../api/problem.ts'
import { useGoOn } from '../../parts/use-go-on.ts'
import type { PlaybookDetail } from '../playbook.ts'

interface SaveOptions {
  readonly text: string
  /** As the source says; null where it has errors. */
  readonly name: string | null
  /** The version that the text was begun on; null where none is in force. */
  readonly base: { readonly name: string; readonly hash: string } | null
  /** `sent`: the source as it was when saving began; more may have been typed since. */
  readonly onSaved: (saved: PlaybookDetail, sent: string) => void
}

interface Attempt {
  readonly name: string
  readonly source: string
  /** Hash of the version that it takes the place of, which its author has seen. */
  readonly over: string | undefined
}

/** Puts a source in force: in the place of the version that it was begun on, or as another playbook. */
export function useSave({ text, name, base, onSaved }: SaveOptions) {
  const queries = useQueryClient()
  const goOn = useGoOn()
  const isNew = base === null || name !== base.name
  const put = useMutation({
    mutationFn: ({ name: called, source, over }: Attempt) =>
      call<PlaybookDetail>('PUT', `/playbooks/${encodeURIComponent(called)}`, {
        body: { source },
        ...(over !== undefined && { headers: { 'if-match': `"${over}"` } }),
      }),
    onSuccess(saved, sent) {
      onSaved(saved, sent.source)
      notifications.show({ color: 'green', message: `Published ${saved.name}` })
      queries.setQueryData(['playbook', saved.name], saved)
      void queries.invalidateQueries({ queryKey: ['playbook'] })
      void queries.invalidateQueries({ queryKey: ['versions'] })
      void queries.resetQueries({ queryKey: ['list', '/playbooks'] })
      goOn(`/playbooks/${saved.name}`)
    },
  })
  const attempt = (over: string | undefined): void => {
    if (name !== null) put.mutate({ name, source: text, over })
  }
  const { code } = problemOf(put.error)
  return {
    isNew,
    isPending: put.isPending,
    /** What it was called when it was saved last. */
    tried: put.variables?.name,
    save: () => attempt(isNew ? undefined : base.hash),
    saveOver: attempt,
    refusal:
      put.error === null
        ? undefined
        : code === 'precondition_failed'
          ? ('changed' as const)
          : code === 'precondition_required'
            ? ('name taken' as const)
            : put.error,
  }
}
