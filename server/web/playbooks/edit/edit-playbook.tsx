import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { get } from '../../api/call.ts'
import { useFilters } from '../../lists/filters/use-filters.ts'
import { Refusal } from '../../parts/states/refusal.tsx'
import type { PlaybookDetail } from '../playbook.ts'
import { TakeUp } from './take-up.tsx'
import { useDraft, type Draft } from './use-draft.ts'
import { Workbench } from './workbench.tsx'

const names = ['restore'] as const

/** What the editor begins with, in place of what is in force. */
interface Begun {
  readonly draft: Draft | undefined
  readonly note?: string
  /** How often the editor began anew. */
  readonly turn: number
}

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
  const { found, keep, handOver } = useDraft(name)
  const [begun, setBegun] = useState<Begun>({
    draft: found?.text === source ? undefined : found,
    note: 'Unsaved draft restored',
    turn: 0,
  })
  const [isUnsaved, setUnsaved] = useState(begun.draft !== undefined)
  const { restore } = filters
  const { data: earlier, ...reading } = useQuery({
    queryKey: ['playbook', restore],
    queryFn: () => get<PlaybookDetail>(`/playbooks/${encodeURIComponent(restore ?? '')}`),
    enabled: restore !== undefined,
    staleTime: Infinity,
  })
  // What was made is in nobody's way: kept, it is the first version that somebody wrote.
  const isMade = origin === 'made'
  const base = isInForce && !isMade ? hash : null
  const takeUp = useCallback(
    (version: PlaybookDetail): void => {
      setBegun(({ turn }) => ({
        draft: { hash: base, text: version.source },
        note: `Version ${version.hash.slice(0, 12)} restored in the editor`,
        turn: turn + 1,
      }))
      // It is what was not saved from now on.
      set('restore', null)
      // The link to it stands far below.
      scrollTo(0, 0)
    },
    [base, set],
  )
  useEffect(() => {
    if (restore !== undefined && earlier !== undefined && !isUnsaved) takeUp(earlier)
  }, [earlier, isUnsaved, restore, takeUp])
  const keepDraft = useCallback(
    (draft: Draft | null): void => {
      keep(draft)
      setUnsaved(draft !== null)
    },
    [keep],
  )
  const saved = (version: PlaybookDetail, left: Draft | null): void => {
    if (version.name === name) onSaved(version.hash)
    else handOver(version.name, left)
  }
  const dropped = (): void => {
    keep(null)
    setBegun(({ turn }) => ({ draft: undefined, turn: turn + 1 }))
    void queries.invalidateQueries({ queryKey: ['playbook', name] })
  }
  return (
    <>
      {restore !== undefined && reading.isLoadingError && <Refusal error={reading.error} />}
      <TakeUp
        version={isUnsaved ? earlier?.hash : undefined}
        onKeep={() => set('restore', null)}
        onTakeUp={() => earlier && takeUp(earlier)}
      />
      <Workbench
        key={begun.turn}
        source={source}
        begun={begun.draft ?? { hash: base, text: source }}
        name={name}
        note={begun.draft && begun.note}
        isReadOnly={false}
        isMade={isMade}
        onDraft={keepDraft}
        onSaved={saved}
        onDropped={dropped}
      />
    </>
  )
}
