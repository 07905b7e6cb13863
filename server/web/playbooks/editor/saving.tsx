import { Alert, Text, Button, Group, Loader, Stack } from '@mantine/core'
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { notifications } from '@mantine/notifications'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { actorText, showInvisible } from '../../parts/outside-text.ts'
import { apiGet, apiCall } from '../../api/call.ts'
import { DateTime } from '../../parts/times.tsx'
import { DraftConflict } from '../draft/draft-conflict.tsx'
import { draftPath, ifRevision } from '../draft/use-save-draft.ts'
import { Differences } from './differences.tsx'
import type { ApiPlaybookDetail } from '../../api/types.ts'
import { apiProblem } from '../../api/problem.ts'
import { useNavigateWhileMounted } from '../../parts/hooks.ts'
import { TextLink } from '../../parts/layout.tsx'

interface SaveRefusalProps {
  readonly save: ReturnType<typeof useSave>
  /** Name in the source; null if unknown. */
  readonly name: string | null
  readonly text: string
  /** The draft on the server is another one than was read. */
  readonly isDraftOther: boolean
  /** Name of the draft. */
  readonly draftName: string | null
  readonly onDraftOver: (revision: number | null) => void
  readonly onTakeTheirs: () => void
}

/** The reason why publishing failed, and what to do. */
export function SaveRefusal(props: SaveRefusalProps) {
  const { save, name, text, isDraftOther, draftName, onDraftOver, onTakeTheirs } = props
  const { refusal, saveOver, tried } = save
  if (draftName !== null && (isDraftOther || refusal === 'draft changed'))
    return <DraftConflict name={draftName} mine={text} onOver={onDraftOver} onTakeTheirs={onTakeTheirs} />
  if (refusal === undefined || tried === undefined) return null
  if (refusal === 'changed')
    return (
      <RevisionConflict
        name={tried}
        mine={text}
        mayOver={name === tried}
        onOver={saveOver}
        onTakeTheirs={onTakeTheirs}
      />
    )
  if (refusal === 'name taken')
    return (
      <Alert color="orange" title={`Playbook ${tried} already exists`} role="alert">
        <Text size="sm">
          Choose another <code>name</code>, or{' '}
          <TextLink href={`/playbooks/${tried}`} isUnderlined>
            edit the existing playbook
          </TextLink>
          .
        </Text>
      </Alert>
    )
  return (
    <>
      <ErrorAlert error={save.error} />
      {refusal === 'outdated' && (
        <Text size="sm">
          <TextLink href={`/playbooks/${tried}/draft`} isUnderlined>
            Compare the draft with the live version
          </TextLink>
        </Text>
      )}
    </>
  )
}

interface RevisionConflictProps {
  readonly name: string
  readonly mine: string
  /** The text is valid and has the same name. */
  readonly mayOver: boolean
  /** Publishes over this version, which the author has seen. */
  readonly onOver: (hash: string) => void
  readonly onTakeTheirs: () => void
}

/** A revision conflict: compares the live version with the text. */
function RevisionConflict({ name, mine, mayOver, onOver, onTakeTheirs }: RevisionConflictProps) {
  const theirs = useQuery({
    queryKey: ['revision_conflict', name],
    queryFn: () => apiGet<ApiPlaybookDetail>(`/playbooks/${encodeURIComponent(name)}`),
    staleTime: 0,
    gcTime: 0,
  })
  if (theirs.isPending) return <Loader size="sm" role="img" aria-label="Loading" />
  if (theirs.isLoadingError) return <ErrorAlert error={theirs.error} />
  const { data } = theirs
  return (
    <Stack gap="xs">
      <Alert color="orange" title={`Someone else changed ${name}`} role="alert">
        <Text size="sm">
          {data.put_in_force_actor === null ? 'Someone' : showInvisible(actorText(data.put_in_force_actor))}{' '}
          published another version
          {data.put_in_force_at !== null && (
            <>
              {' '}
              at <DateTime at={data.put_in_force_at} />
            </>
          )}
          . Compare it with yours below.
        </Text>
        <Group gap="xs" mt="sm">
          <Button size="xs" variant="default" disabled={!mayOver} onClick={() => onOver(data.hash)}>
            Overwrite with mine
          </Button>
          <Button size="xs" variant="default" onClick={onTakeTheirs}>
            Discard mine
          </Button>
        </Group>
      </Alert>
      <Differences before={data.source} after={mine} labels={['Live', 'Unsaved']} />
    </Stack>
  )
}

interface SaveOptions {
  readonly text: string
  /** Name in the source; null if it has errors. */
  readonly name: string | null
  /** The version that the text is based on; null without a live version. */
  readonly base: { readonly name: string; readonly hash: string } | null
  /** The draft on the server; `take` saves the text as it, and returns its revision. */
  readonly draft: { readonly name: string; readonly take: () => Promise<number> } | undefined
  /** `sent`: the published text. More may have been typed since. */
  readonly onSaved: (saved: ApiPlaybookDetail, sent: string) => void
  readonly onSettled: () => void
}

interface Attempt {
  readonly name: string
  readonly source: string
  /** Hash of the version to replace. */
  readonly over: string | undefined
  readonly reason: string
  /** See `SaveOptions`; undefined: the source is published directly. */
  readonly takeDraft: (() => Promise<number>) | undefined
}

async function publish({ name, source, over, reason, takeDraft }: Attempt): Promise<ApiPlaybookDetail> {
  if (takeDraft !== undefined) {
    const options = { body: { reason }, ...ifRevision(await takeDraft()) }
    return await apiCall('POST', `${draftPath(name)}/publish`, options)
  }
  return await apiCall('PUT', `/playbooks/${encodeURIComponent(name)}`, {
    body: { source, reason },
    ...(over !== undefined && { headers: { 'if-match': `"${over}"` } }),
  })
}

/** Publishes a source: the draft, over the version that it is based on, or under a new name. */
export function useSave({ text, name, base, draft, onSaved, onSettled }: SaveOptions) {
  const queries = useQueryClient()
  const goOn = useNavigateWhileMounted()
  const isNew = base === null || name !== base.name
  const put = useMutation({
    mutationFn: publish,
    onSettled,
    onError(_, { name: tried }) {
      void queries.invalidateQueries({ queryKey: ['draft', tried] })
    },
    onSuccess(saved, sent) {
      onSaved(saved, sent.source)
      notifications.show({ color: 'green', message: `Published ${saved.name}` })
      queries.setQueryData(['playbook', saved.name], saved)
      void queries.invalidateQueries({ queryKey: ['playbook'] })
      void queries.invalidateQueries({ queryKey: ['versions'] })
      void queries.invalidateQueries({ queryKey: ['drafts'] })
      void queries.resetQueries({ queryKey: ['list', '/playbooks'] })
      goOn(`/playbooks/${saved.name}`)
    },
  })
  const attempt = (over: string | undefined, reason: string): void => {
    const takeDraft = draft?.name === name ? draft?.take : undefined
    if (name !== null) put.mutate({ name, source: text, over, reason, takeDraft })
  }
  return {
    isNew,
    isPending: put.isPending,
    /** Name in the last attempt. */
    tried: put.variables?.name,
    save: (reason: string) => attempt(isNew ? undefined : base.hash, reason),
    saveOver: (over: string) => attempt(over, put.variables?.reason ?? ''),
    forget: put.reset,
    error: put.error,
    refusal: put.error === null ? undefined : refusalOf(put.error, put.variables?.takeDraft !== undefined),
  }
}

function refusalOf(error: unknown, isDraft: boolean) {
  const { code } = apiProblem(error)
  if (code === 'draft_outdated') return 'outdated'
  const isStale = code === 'precondition_failed' || code === 'precondition_required'
  if (isDraft) return isStale || code === 'draft_not_found' ? 'draft changed' : 'other'
  if (!isStale) return 'other'
  return code === 'precondition_failed' ? 'changed' : 'name taken'
}
