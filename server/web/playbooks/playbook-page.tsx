import { Alert, Anchor, Badge, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { get } from '../api/call.ts'
import { PageLoading } from '../parts/states/page-loading.tsx'
import { Time } from '../parts/time/times.tsx'
import { useMay, useMayForAll } from '../session/session.ts'
import { ViewHead } from '../shell/view/view-head.tsx'
import { ViewRefusal } from '../shell/view/view-refusal.tsx'
import { EditPlaybook } from './edit/edit-playbook.tsx'
import { MadeNote } from './made-note.tsx'
import { isManual, type PlaybookDetail } from './playbook.ts'
import { ResultsLine } from './results/results-line.tsx'
import { StartByHand } from './start-by-hand.tsx'
import { TestsSection } from './tests-section.tsx'
import { useEditorKey } from './edit/use-editor-key.ts'
import { Versions } from './versions.tsx'
import { Workbench } from './edit/workbench.tsx'

const read = (nameOrHash: string) => get<PlaybookDetail>(`/playbooks/${encodeURIComponent(nameOrHash)}`)

const nothing = (): void => undefined

/** A playbook by its name, or one of its versions by its hash. */
export default function PlaybookPage() {
  const { id } = useParams<{ id: string }>()
  const mayEdit = useMayForAll()
  const mayStart = useMay('analyst', 'admin')
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
  if (found.isLoadingError) return <ViewRefusal error={found.error} onRetry={() => void found.refetch()} />
  const { data } = found
  const isNewest = newest.data === undefined || newest.data.hash === data.hash
  const isEdited = mayEdit && isNewest
  return (
    <Stack gap="var(--tocsin-gap)">
      <ViewHead
        title={data.name}
        states={data.in_force && <Badge color="green">Live</Badge>}
        about={<ResultsLine name={data.name} />}
        actions={mayStart && data.in_force && isManual(data.source) && <StartByHand name={data.name} />}
      />
      {!isNewest && (
        <Alert color="blue" title="Earlier version">
          Published <Time at={data.put_in_force_at ?? data.created_at} />.{' '}
          <Anchor underline="always" component={Link} href={`/playbooks/${data.name}`} size="sm">
            Go to latest version
          </Anchor>
        </Alert>
      )}
      {isNewest && !data.in_force && data.origin === 'file' && (
        <Alert color="orange" title="No live version">
          Its file is no longer in the playbooks folder, so no alert triggers it. The last version is kept
          here.
        </Alert>
      )}
      {data.origin === 'made' && data.organization_code !== null && isNewest && (
        <MadeNote organization={data.organization_code} mayKeep={mayEdit} />
      )}
      {isEdited ? (
        <EditPlaybook key={`${data.name} ${editor.key}`} playbook={data} onSaved={editor.keepFor} />
      ) : (
        <Workbench
          key={data.hash}
          source={data.source}
          begun={{ hash: data.hash, text: data.source }}
          name={data.name}
          isReadOnly
          onDraft={nothing}
          onSaved={nothing}
          onDropped={nothing}
        />
      )}
      {mayStart && data.in_force && data.origin === 'file' && (
        <TestsSection key={data.hash} name={data.name} />
      )}
      <Versions playbook={data} mayRestore={mayEdit && data.origin === 'file'} />
    </Stack>
  )
}
