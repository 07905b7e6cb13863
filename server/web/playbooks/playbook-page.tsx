import { Alert, Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { useRef } from 'react'
import type { AccessPermission } from '../../../core/access/permissions.ts'
import { apiGet } from '../api/call.ts'
import { PageLoading, TextLink } from '../parts/layout.tsx'
import { DateTime } from '../parts/times.tsx'
import { has, mayFor, useMay, useSession } from '../session/session.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { ViewHead, ViewError } from '../shell/view.tsx'
import { EditPlaybook } from './editor/edit-playbook.tsx'
import { declaresState, isManual } from './playbook.ts'
import { ResultsLine } from './results.tsx'
import { ShadowSection } from './shadow/shadow-section.tsx'
import { StateSection } from './state-section.tsx'
import { TestsSection } from './tests-section.tsx'
import { RunButton } from './run/run-button.tsx'
import { Versions } from './versions.tsx'
import { PlaybookEditor } from './editor/playbook-editor.tsx'
import type { ApiPlaybookDetail } from '../api/types.ts'

const read = (nameOrHash: string) => apiGet<ApiPlaybookDetail>(`/playbooks/${encodeURIComponent(nameOrHash)}`)

const doNothing = (): void => undefined
const nothing = {}

/** A playbook by name, or a version by hash. */
export default function PlaybookPage() {
  const { id } = useParams<{ id: string }>()
  const session = useSession()
  const mayStart = useMay('runs:write')
  const mayReadRuns = useMay('runs:read')
  const found = useQuery({ queryKey: ['playbook', id], queryFn: () => read(id), refetchOnWindowFocus: false })
  const name = found.data?.name
  const newest = useQuery({
    queryKey: ['playbook', name],
    queryFn: () => read(name ?? ''),
    enabled: name !== undefined,
    refetchOnWindowFocus: false,
  })
  const editor = useEditorKey(found.data?.hash)
  if (found.isPending) return <PageLoading />
  if (found.isLoadingError) return <ViewError error={found.error} onRetry={() => void found.refetch()} />
  const { data } = found
  const isNewest = newest.data === undefined || newest.data.hash === data.hash
  const may = (permission: AccessPermission) => mayFor(session, permission, ownerOf(data))
  const mayPublish = may('playbooks:write')
  const isEdited = isNewest && (mayPublish || may('playbooks:test'))
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        title={data.name}
        states={
          <>
            <PlaybookState playbook={data} />
            {ownerOf(data) !== null && <Badge variant="outline">Organization {ownerOf(data)}</Badge>}
          </>
        }
        about={<ResultsLine name={data.name} />}
        actions={
          mayStart &&
          data.in_force &&
          isManual(data.source) && <RunButton about={nothing} playbook={data.name} />
        }
      />
      {!isNewest && (
        <Alert color="blue" title="Earlier version">
          Published <DateTime at={data.put_in_force_at ?? data.created_at} />.{' '}
          <TextLink href={`/playbooks/${data.name}`} isUnderlined>
            Go to latest version
          </TextLink>
        </Alert>
      )}
      {data.shadow && mayReadRuns && <ShadowSection name={data.name} mayPromote={mayPublish} />}
      {data.shadows.length > 0 && <ShadowsNote names={data.shadows} />}
      {isNewest && !data.in_force && !data.shadow && data.origin === 'file' && (
        <Alert color="orange" title="No live version">
          Its file is no longer in the playbooks folder, so no alert triggers it. The last version is kept
          here.
        </Alert>
      )}
      {data.origin === 'made' && data.organization_code !== null && isNewest && (
        <MadeNote organization={data.organization_code} mayKeep={mayPublish} />
      )}
      {isNewest && <DraftNote playbook={data} />}
      {isEdited ? (
        <EditPlaybook key={`${data.name} ${editor.key}`} playbook={data} onSaved={editor.keepFor} />
      ) : (
        <ReadOnlyPlaybook playbook={data} isNewest={isNewest} />
      )}
      {mayStart && data.in_force && data.origin === 'file' && (
        <TestsSection key={data.hash} name={data.name} />
      )}
      <StateSection name={data.name} isDeclared={declaresState(data.source)} mayReset={mayStart} />
      <Versions playbook={data} mayRestore={mayPublish && data.origin === 'file'} />
    </Stack>
  )
}

interface ReadOnlyPlaybookProps {
  readonly playbook: ApiPlaybookDetail
  readonly isNewest: boolean
}

function ReadOnlyPlaybook({ playbook, isNewest }: ReadOnlyPlaybookProps) {
  const { name, hash, source, origin, organization_code: code } = playbook
  const isShared = origin === 'file' && code === null
  const writesOthers = has(useSession(), 'playbooks:test')
  return (
    <>
      {isNewest && isShared && writesOthers && (
        <Text size="sm">
          All organizations share this playbook, so you cannot change it. To handle the same alerts
          differently in your organization, create a playbook with <code>organization</code> at the top.
        </Text>
      )}
      <PlaybookEditor
        key={hash}
        source={source}
        begun={{ hash, text: source }}
        name={name}
        isReadOnly
        onDraft={doNothing}
        onSaved={doNothing}
        onDiscard={doNothing}
      />
    </>
  )
}

/** The organization of an authored playbook. A generated one is kept for all of them. */
const ownerOf = ({ origin, organization_code: code }: ApiPlaybookDetail): string | null =>
  origin === 'file' ? code : null

function PlaybookState({ playbook }: { readonly playbook: ApiPlaybookDetail }) {
  if (playbook.in_force) return <Badge color="green">Live</Badge>
  return playbook.shadow ? <Badge color="gray">In shadow</Badge> : null
}

/** Links to the playbooks that may replace this one. */
function ShadowsNote({ names }: { readonly names: readonly string[] }) {
  return (
    <Text size="sm">
      In shadow beside it:{' '}
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <TextLink href={`/playbooks/${name}`} isUnderlined>
            {name}
          </TextLink>
        </span>
      ))}
    </Text>
  )
}

/** Remounts the editor for another version, unless it was published in this editor. */
function useEditorKey(hash: string | undefined) {
  const at = useRef<{ hash: string | undefined; key: number; saved?: string }>({ hash, key: 0 })
  const { current } = at
  if (current.hash !== hash)
    at.current = { hash, key: current.saved === hash ? current.key : current.key + 1 }
  return {
    key: at.current.key,
    /** Call it before the version is read. */
    keepFor: (saved: string): void => {
      at.current.saved = saved
    },
  }
}

/** A note on the page of a playbook that has a draft. */
function DraftNote({ playbook: { name, draft } }: { readonly playbook: ApiPlaybookDetail }) {
  if (draft === null) return null
  return (
    <Alert color="blue" title={`Draft by ${showInvisible(draft.changed_by.name)}`}>
      <Group gap="xs">
        <Text size="sm">
          Saved <DateTime at={draft.changed_at} ago />, not published.
        </Text>
        <TextLink href={`/playbooks/${name}/draft`} isUnderlined>
          Open draft
        </TextLink>
      </Group>
    </Alert>
  )
}

interface MadeNoteProps {
  readonly organization: string
  readonly mayKeep: boolean
}

/** Explains a generated playbook and how to keep it. */
function MadeNote({ organization, mayKeep }: MadeNoteProps) {
  return (
    <Alert color="blue" title={`Generated automatically for ${organization}`}>
      <Text size="sm">
        No authored playbook matches these alerts. Tocsin regenerates this one when the connections of{' '}
        {organization} change.{' '}
        {mayKeep
          ? 'Keep it as yours to save it in the playbooks folder: it is then no longer regenerated, and takes precedence.'
          : 'An administrator of all organizations can edit and keep it.'}
      </Text>
    </Alert>
  )
}
