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

interface EditPlaybookProps {
  readonly playbook: PlaybookDetail
  /** Told the hash of a version that was saved here, and in whose place the editor stays. */
  readonly onSaved: (hash: string) => void
}

/** The newest version, to be changed: with what had not been saved, or with an earlier version that is taken up again. */
export function EditPlaybook({ playbook, onSaved }: EditPlaybookProps) {
  const { name, hash, source, origin, in_force: isInForce } = playbook
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
  if (earlier.isLoadingError) return <Refusal error={earlier.error} />
  if (restore !== undefined && earlier.data === undefined) return <PageLoading />
  // What was made is in nobody's way: kept, it is the first version that somebody wrote.
  const isMade = origin === 'made'
  const base = isInForce && !isMade ? hash : null
  const begun: Draft =
    earlier.data === undefined
      ? (kept ?? { hash: base, text: source })
      : { hash: base, text: earlier.data.source }
  const saved = (version: PlaybookDetail, left: Draft | null): void => {
    const isHere = version.name === name
    if (isHere && restore === undefined) onSaved(version.hash)
    else draft.handOver(version.name, left)
    if (isHere && restore !== undefined) setKept(left ?? undefined)
  }
  const dropped = (): void => {
    draft.keep(null)
    setKept(undefined)
    set('restore', null)
    void queries.invalidateQueries({ queryKey: ['playbook', name] })
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
      isMade={isMade}
      onDraft={draft.keep}
      onSaved={saved}
      onDropped={dropped}
    />
  )
}
