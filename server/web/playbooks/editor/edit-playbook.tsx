import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Text } from '@mantine/core'
import { apiGet } from '../../api/call.ts'
import { useFilters } from '../../lists/use-filters.ts'
import { ErrorAlert, ConfirmDialog } from '../../parts/feedback.tsx'
import { useNavigateWhileMounted } from '../../parts/hooks.ts'
import type { ApiDraft, ApiPlaybookDetail } from '../../api/types.ts'
import { draftPlace, useDraft, type Draft } from './use-draft.ts'
import { PlaybookEditor } from './playbook-editor.tsx'

const names = ['restore'] as const

/** The first text in the editor, if it is not the live source. */
interface Begun {
  readonly draft: Draft | undefined
  readonly note?: string
  /** Increments to remount the editor. */
  readonly turn: number
}

interface EditPlaybookProps {
  readonly playbook: ApiPlaybookDetail
  /** Called with the hash of a version that was published here. */
  readonly onSaved: (hash: string) => void
}

/** An editor for the newest version, with an unsaved draft or a restored version. */
export function EditPlaybook({ playbook, onSaved }: EditPlaybookProps) {
  const { name, hash, source, origin, in_force: isInForce, shadow: isInShadow } = playbook
  const { filters, set } = useFilters(names)
  const queries = useQueryClient()
  const { found, keep, handOver } = useDraft(name)
  const leaveFor = useLeaveForDraft(handOver)
  const [begun, setBegun] = useState<Begun>({
    draft: found?.text === source ? undefined : found,
    note: 'Unsaved draft restored',
    turn: 0,
  })
  const [isUnsaved, setUnsaved] = useState(begun.draft !== undefined)
  const { restore } = filters
  const { data: earlier, ...reading } = useVersion(restore)
  // A generated playbook has no live version to conflict with.
  const isGenerated = origin !== 'file'
  const base = (isInForce || isInShadow) && !isGenerated ? hash : null
  const takeUp = useCallback(
    (version: ApiPlaybookDetail): void => {
      setBegun(({ turn }) => ({
        draft: { hash: base, text: version.source },
        note: `Version ${version.hash.slice(0, 12)} restored in the editor`,
        turn: turn + 1,
      }))
      // The restored text is now the draft.
      set('restore', null)
      // The link is far below.
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
  const saved = (version: ApiPlaybookDetail, left: Draft | null): void => {
    if (version.name === name) onSaved(version.hash)
    else handOver(version.name, left)
  }
  const draftSaved = (draft: ApiDraft, left: Draft | null): void => {
    if (draft.name === name) return
    keep(null)
    leaveFor(draft, left)
  }
  const discard = (): void => {
    keep(null)
    setBegun(({ turn }) => ({ draft: undefined, turn: turn + 1 }))
    void queries.invalidateQueries({ queryKey: ['playbook', name] })
  }
  return (
    <>
      {restore !== undefined && reading.isLoadingError && <ErrorAlert error={reading.error} />}
      <TakeUp
        version={isUnsaved ? earlier?.hash : undefined}
        onKeep={() => set('restore', null)}
        onTakeUp={() => earlier && takeUp(earlier)}
      />
      <PlaybookEditor
        key={begun.turn}
        source={source}
        begun={begun.draft ?? { hash: base, text: source }}
        name={name}
        note={begun.draft && begun.note}
        isReadOnly={false}
        isGenerated={isGenerated}
        onDraft={keepDraft}
        onSaved={saved}
        onDraftSaved={draftSaved}
        onDiscard={discard}
      />
    </>
  )
}

/** A version by its hash. */
const useVersion = (hash: string | undefined) =>
  useQuery({
    queryKey: ['playbook', hash],
    queryFn: () => apiGet<ApiPlaybookDetail>(`/playbooks/${encodeURIComponent(hash ?? '')}`),
    enabled: hash !== undefined,
    staleTime: Infinity,
  })

/** Opens a draft that was saved under another name; text that was typed while saving goes with it. */
export function useLeaveForDraft(handOver: (other: string, draft: Draft | null) => void) {
  const goOn = useNavigateWhileMounted()
  return ({ name }: ApiDraft, left: Draft | null): void => {
    handOver(draftPlace(name), left)
    goOn(`/playbooks/${name}/draft`)
  }
}

interface TakeUpProps {
  /** Hash of the version; undefined if closed. */
  readonly version: string | undefined
  readonly onKeep: () => void
  readonly onTakeUp: () => void
}

/** Confirms that a restored version replaces unsaved changes. */
function TakeUp({ version, onKeep, onTakeUp }: TakeUpProps) {
  return (
    <ConfirmDialog
      opened={version !== undefined}
      title="Restore an earlier version"
      action="Restore"
      back="Keep my changes"
      color="red"
      onClose={onKeep}
      onConfirm={onTakeUp}
    >
      <Text size="sm">Your unsaved changes will be replaced by version {version?.slice(0, 12)}.</Text>
    </ConfirmDialog>
  )
}
