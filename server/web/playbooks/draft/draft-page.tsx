import { Alert, Badge, Button, CopyButton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { apiCall, apiGet } from '../../api/call.ts'
import { apiProblem } from '../../api/problem.ts'
import type { ApiDraft, ApiPlaybookDetail } from '../../api/types.ts'
import { ConfirmButton } from '../../parts/feedback.tsx'
import { PageLoading, TextLink } from '../../parts/layout.tsx'
import { actorText, showInvisible } from '../../parts/outside-text.ts'
import { DateTime } from '../../parts/times.tsx'
import { mayFor, useSession } from '../../session/session.ts'
import { ViewError, ViewHead } from '../../shell/view.tsx'
import { Differences } from '../editor/differences.tsx'
import { PlaybookEditor } from '../editor/playbook-editor.tsx'
import { draftPlace, useDraft, type Draft } from '../editor/use-draft.ts'
import { TestsSection } from '../tests-section.tsx'
import { ReadersNote } from './readers-note.tsx'
import { OutdatedDraft } from './outdated-draft.tsx'
import { draftPath, ifRevision } from './use-save-draft.ts'

const doNothing = (): void => undefined

/** The live version of a playbook; null: there is none. */
async function readLive(name: string): Promise<ApiPlaybookDetail | null> {
  try {
    return await apiGet<ApiPlaybookDetail>(`/playbooks/${encodeURIComponent(name)}`)
  } catch (error) {
    if (apiProblem(error).code === 'playbook_not_found') return null
    throw error
  }
}

/** The saved draft of a playbook, at an address to share. */
export default function DraftPage() {
  const { id } = useParams<{ id: string }>()
  const draft = useQuery({
    queryKey: ['draft', id],
    queryFn: () => apiGet<ApiDraft>(draftPath(id)),
    retry: false,
    refetchOnWindowFocus: false,
  })
  const live = useQuery({ queryKey: ['live', id], queryFn: () => readLive(id), refetchOnWindowFocus: false })
  if (draft.isPending || live.isPending) return <PageLoading />
  if (draft.isLoadingError) return <ViewError error={draft.error} onRetry={() => void draft.refetch()} />
  if (live.isLoadingError) return <ViewError error={live.error} onRetry={() => void live.refetch()} />
  return (
    <DraftView
      draft={draft.data}
      isGone={draft.isError && apiProblem(draft.error).code === 'draft_not_found'}
      live={live.data ?? null}
    />
  )
}

interface DraftViewProps {
  readonly draft: ApiDraft
  /** It was published or discarded while it was shown. */
  readonly isGone: boolean
  readonly live: ApiPlaybookDetail | null
}

function DraftView({ draft, isGone, live }: DraftViewProps) {
  const { name } = draft
  const mayEdit = mayFor(useSession(), 'playbooks:test', draft.organization_code)
  const [isUnsaved, setUnsaved] = useState(false)
  const isOutdated = !isGone && draft.base_hash !== draft.published_hash
  const source = live !== null && draft.published_hash !== null ? live.source : ''
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        title={name}
        states={
          <>
            <Badge color="blue">Draft</Badge>
            {draft.organization_code !== null && (
              <Badge variant="outline">Organization {draft.organization_code}</Badge>
            )}
          </>
        }
        about={<Authors draft={draft} />}
        actions={
          <>
            <CopyButton value={location.origin + location.pathname}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy link'}
                </Button>
              )}
            </CopyButton>
            {mayEdit && !isGone && <DiscardButton draft={draft} />}
          </>
        }
      />
      <ReadersNote draft={draft} mayEdit={mayEdit && !isGone && !isUnsaved} />
      {isGone && (
        <Alert color="orange" title="The draft was published or discarded">
          <TextLink href={`/playbooks/${name}`} isUnderlined>
            Go to the playbook
          </TextLink>
        </Alert>
      )}
      {isOutdated && (
        <OutdatedDraft
          draft={draft}
          live={draft.published_hash === null ? null : live}
          mayEdit={mayEdit}
          isUnsaved={isUnsaved}
        />
      )}
      {mayEdit ? (
        <EditDraft key={name} draft={draft} source={source} onUnsaved={setUnsaved} />
      ) : (
        <>
          <PlaybookEditor
            key={draft.revision}
            source={draft.source}
            begun={{ hash: draft.base_hash, text: draft.source }}
            name={name}
            isReadOnly
            onDraft={doNothing}
            onSaved={doNothing}
            onDiscard={doNothing}
          />
          {source !== '' && <Differences before={source} after={draft.source} labels={['Live', 'Draft']} />}
        </>
      )}
      {mayEdit && live?.in_force === true && live.origin === 'file' && (
        <TestsSection key={draft.revision} name={name} isDraft />
      )}
    </Stack>
  )
}

/** Who saved the draft, and when. */
function Authors({ draft }: { readonly draft: ApiDraft }) {
  const { name, created_by: first, created_at: begun, changed_by: last, changed_at: at } = draft
  const isOne = first.kind === last.kind && first.id === last.id
  return (
    <>
      Saved by {showInvisible(actorText(last))} <DateTime at={at} ago />
      {!isOne && (
        <>
          , begun by {showInvisible(actorText(first))} <DateTime at={begun} ago />
        </>
      )}
      {draft.published_hash !== null && (
        <>
          {' · '}
          <TextLink href={`/playbooks/${name}`} isUnderlined>
            Live version
          </TextLink>
        </>
      )}
    </>
  )
}

function DiscardButton({
  draft: { name, revision, published_hash: published },
}: {
  readonly draft: ApiDraft
}) {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const discard = useMutation({
    mutationFn: () => apiCall('DELETE', draftPath(name), ifRevision(revision)),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['drafts'] })
      void queries.invalidateQueries({ queryKey: ['playbook'] })
      navigate(published === null ? '/playbooks' : `/playbooks/${name}`)
    },
  })
  return (
    <ConfirmButton
      text="Discard draft"
      title={`Discard the draft of ${name}`}
      action="Discard draft"
      mutation={discard}
    >
      <Text size="sm">The saved draft is deleted for everyone. The live version does not change.</Text>
    </ConfirmButton>
  )
}

interface EditDraftProps {
  readonly draft: ApiDraft
  /** Of the live version; empty: none. */
  readonly source: string
  readonly onUnsaved: (isUnsaved: boolean) => void
}

/** The draft in the editor. */
interface Shown {
  readonly draft: ApiDraft
  /** Unsaved changes of the tab. */
  readonly begun: Draft | undefined
  /** Increments to remount the editor. */
  readonly turn: number
}

/** The editor of a saved draft. Saves of others show at once, but never replace unsaved changes. */
function EditDraft({ draft, source, onUnsaved }: EditDraftProps) {
  const { name } = draft
  const { found, keep } = useDraft(draftPlace(name))
  const [shown, setShown] = useState<Shown>({
    draft,
    begun: found?.text === draft.source ? undefined : found,
    turn: 0,
  })
  const [isUnsaved, setUnsaved] = useState(shown.begun !== undefined)
  const [revision, setRevision] = useState(shown.begun?.revision ?? draft.revision)
  const show = useCallback((newest: ApiDraft): void => {
    setRevision(newest.revision)
    setShown(({ turn }) => ({ draft: newest, begun: undefined, turn: turn + 1 }))
  }, [])
  const isOther = draft.revision > revision
  useEffect(() => {
    if (isOther && !isUnsaved) show(draft)
  }, [draft, isOther, isUnsaved, show])
  const keepDraft = useCallback(
    (text: Draft | null): void => {
      keep(text)
      setUnsaved(text !== null)
      onUnsaved(text !== null)
    },
    [keep, onUnsaved],
  )
  return (
    <>
      {isOther && isUnsaved && (
        <Alert
          color="orange"
          title={`${showInvisible(draft.changed_by.name)} saved this draft`}
          role="status"
        >
          Your changes are not saved yet. When you save, you can compare both.
        </Alert>
      )}
      <PlaybookEditor
        key={shown.turn}
        source={source}
        begun={
          shown.begun ?? {
            hash: shown.draft.base_hash,
            text: shown.draft.source,
            revision: shown.draft.revision,
          }
        }
        name={name}
        note={shown.begun && 'Unsaved changes restored'}
        isReadOnly={false}
        saved={shown.draft}
        onDraft={keepDraft}
        onSaved={() => keepDraft(null)}
        onDraftSaved={(saved) => setRevision(saved.revision)}
        onDiscard={() => {
          keepDraft(null)
          show(draft)
        }}
      />
    </>
  )
}
