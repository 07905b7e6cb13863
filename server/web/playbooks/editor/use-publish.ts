import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import type { ApiDraft, ApiPlaybookDetail } from '../../api/types.ts'
import { useMay } from '../../session/session.ts'
import { nameInSource, useSaveDraft } from '../draft/use-save-draft.ts'
import { useSave } from './saving.tsx'
import { useLeaveWarning, type Draft } from './use-draft.ts'
import type { useValidation } from './use-validation.ts'

interface PublishProps {
  readonly source: string
  readonly begun: Draft
  readonly name: string | null
  readonly saved?: ApiDraft | undefined
  readonly isReadOnly: boolean
  readonly onDraft: (draft: Draft | null) => void
  readonly onSaved: (saved: ApiPlaybookDetail, left: Draft | null) => void
  readonly onDraftSaved?: ((saved: ApiDraft, left: Draft | null) => void) | undefined
}

/** Also while the cursor is in the editor. */
const useSaveKey = (save: () => void): void => useHotkeys([['mod+S', save]], [], true)

/** Saves the text as a draft by button or Ctrl+S, publishes it, and keeps unsaved text in the tab. */
export function usePublish(
  props: PublishProps,
  text: string,
  { validation }: Pick<ReturnType<typeof useValidation>, 'validation'>,
) {
  const { source, begun, name, isReadOnly, onDraft, onSaved, onDraftSaved } = props
  const [savedHash, setSavedHash] = useState<string>()
  const [kept, setKept] = useState(props.saved)
  const [revision, setRevision] = useState(begun.revision ?? props.saved?.revision ?? null)
  const [isAsking, asking] = useDisclosure()
  const maySave = useMay('playbooks:test')
  const mayPublish = useMay('playbooks:write')
  const hash = savedHash ?? begun.hash
  const isChanged = !isReadOnly && text !== source
  const isUnsaved = !isReadOnly && text !== (kept?.source ?? source)
  useLeaveWarning(isUnsaved)
  useEffect(() => {
    onDraft(isUnsaved ? { hash, text, revision } : null)
  }, [hash, isUnsaved, onDraft, revision, text])
  const target = nameInSource(text) ?? name
  const isOwn = target === name
  const drafts = useSaveDraft((saved) => {
    if (saved.name === name) {
      setKept(saved)
      setRevision(saved.revision)
    }
    onDraftSaved?.(saved, text === saved.source ? null : { hash, text, revision: saved.revision })
  })
  const save = useSave({
    text,
    name: validation?.name ?? null,
    base: name === null || hash === null ? null : { name, hash },
    draft: kept && {
      name: kept.name,
      async take() {
        if (!isUnsaved && kept.revision === revision) return kept.revision
        return (await drafts.saveNow({ name: kept.name, source: text, base: hash, revision })).revision
      },
    },
    onSaved(published, sent) {
      if (published.name === name) {
        setSavedHash(published.hash)
        setKept(undefined)
        setRevision(null)
      }
      onSaved(published, text === sent ? null : { hash: published.hash, text })
    },
    onSettled: asking.close,
  })
  const saveDraft = (over = isOwn ? revision : null): void => {
    save.forget()
    if (target !== null)
      drafts.save({ name: target, source: text, base: isOwn ? hash : null, revision: over })
  }
  const isPossible =
    mayPublish &&
    !isReadOnly &&
    validation !== undefined &&
    validation.name !== null &&
    (isChanged || save.isNew || kept !== undefined)
  const canSave = maySave && isUnsaved && target !== null
  useSaveKey(() => {
    if (canSave && !drafts.isPending) saveDraft()
    else if (!maySave && isPossible) asking.open()
  })
  const isRename = save.isNew && name !== null && hash !== null && isPossible
  return {
    isChanged,
    isUnsaved,
    isSaved: savedHash !== undefined || (kept !== undefined && !isUnsaved),
    publish: { ...save, mayPublish, isPossible, isRename, isAsking, ask: asking.open, close: asking.close },
    drafts: { ...drafts, maySave, canSave, target, saveDraft },
  }
}
