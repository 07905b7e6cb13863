import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifications } from '@mantine/notifications'
import { apiCall } from '../../api/call.ts'
import { apiProblem } from '../../api/problem.ts'
import type { ApiDraft } from '../../api/types.ts'

/** A draft to save. */
export interface DraftAttempt {
  /** Of the playbook. */
  readonly name: string
  readonly source: string
  /** Hash of the published version that it changes; null: a new playbook. */
  readonly base: string | null
  /** Revision of the draft that was read; null: there was none. */
  readonly revision: number | null
  /** Default: as saved before. */
  readonly note?: string
}

export const draftPath = (name: string): string => `/playbooks/${encodeURIComponent(name)}/draft`

/** The name in a source, which may have errors. */
export const nameInSource = (source: string): string | undefined =>
  /^name:[ \t]*["']?([a-z0-9]+(?:-[a-z0-9]+)*)["']?[ \t]*(?:#.*)?$/m.exec(source)?.[1]

/** Headers that change exactly this revision. */
export const ifRevision = (revision: number) => ({ headers: { 'if-match': `"${revision}"` } })

/** Saves drafts on the server. */
export function useSaveDraft(onSaved: (saved: ApiDraft) => void) {
  const queries = useQueryClient()
  const put = useMutation({
    mutationFn: ({ name, source, base, revision, note }: DraftAttempt) =>
      apiCall<ApiDraft>('PUT', draftPath(name), {
        body: { source, base_hash: base, note },
        ...(revision !== null && ifRevision(revision)),
      }),
    onSuccess(saved) {
      onSaved(saved)
      notifications.show({ color: 'green', message: `Saved draft of ${saved.name}` })
      queries.setQueryData(['draft', saved.name], saved)
      void queries.invalidateQueries({ queryKey: ['drafts'] })
    },
  })
  const { code } = apiProblem(put.error)
  const isConflict = code === 'precondition_failed' || code === 'precondition_required'
  return {
    isPending: put.isPending,
    /** The last attempt. */
    tried: put.variables,
    save: put.mutate,
    saveNow: put.mutateAsync,
    forget: put.reset,
    /** Someone else saved, published or discarded the draft since it was read. */
    isConflict: put.error !== null && isConflict,
    error: isConflict ? null : put.error,
    /** Why the last attempt failed, also by a conflict; null otherwise. */
    failure: put.error,
  }
}
