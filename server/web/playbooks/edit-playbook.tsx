import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { get } from '../api/call.ts'
import { useFilters } from '../lists/use-filters.ts'
import { PageLoading } from '../parts/page-loading.tsx'
import { Refusal } from '../parts/refusal.tsx'
import type { PlaybookDetail } from './playbook.ts'
import { useDraft, type Draft } from './use-draft.ts'
import { Workbench } from './workbench.tsx'

const names = ['restore'] as const

/** The newest version, to be changed: with what had not been saved, or with an earlier version that is taken up again. */
export function EditPlaybook({ playbook }: { readonly playbook: PlaybookDetail }) {
  const { name, hash, source, in_force: isInForce } = playbook
  const { filters, set } = useFilters(names)
  const queries = useQueryClient()
  const draft = useDraft(name)
  const [kept, setKept] = useState(draft.found?.text === source ? undefined : draft.found)
  const { restore } = filters
  const earlier = useQuery({
    queryKey: ['playbook', restore],
    queryFn: () => get<PlaybookDetail>(`/playbooks/${encodeURIComponent(restore ?? '')}`),
    enabled: restore !== undefined,
    staleTime: Infinity,
  })
  // The link to it stands far below.
  useEffect(() => {
    if (restore !== undefined) scrollTo(0, 0)
  }, [restore])
  if (earlier.isError) return <Refusal error={earlier.error} />
  if (restore !== undefined && earlier.data === undefined) return <PageLoading />
  const base = isInForce ? hash : null
  const begun: Draft =
    earlier.data === undefined
      ? (kept ?? { hash: base, text: source })
      : { hash: base, text: earlier.data.source }
  const done = (isSaved: boolean): void => {
    draft.keep(null)
    setKept(undefined)
    set('restore', null)
    if (!isSaved) void queries.invalidateQueries({ queryKey: ['playbook', name] })
  }
  return (
    <Workbench
      key={`${restore ?? ''} ${kept?.text ?? ''}`}
      source={source}
      begun={begun}
      name={name}
      note={
        restore === undefined
          ? kept && 'Here is what you had not saved'
          : `The version ${restore.slice(0, 12)} is in the editor`
      }
      isReadOnly={false}
      onDraft={draft.keep}
      onDone={done}
    />
  )
}
