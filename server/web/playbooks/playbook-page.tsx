import { Alert, Anchor, Group, Loader, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { get } from '../api/call.ts'
import { Refusal } from '../parts/refusal.tsx'
import { Time } from '../parts/times.tsx'
import { useMay } from '../session/session.ts'
import { ViewTitle } from '../shell/view-title.tsx'
import { isManual, type PlaybookDetail } from './playbook.ts'
import { StartByHand } from './start-by-hand.tsx'
import { useMayEdit } from './use-may-edit.ts'
import { Versions } from './versions.tsx'
import { Workbench } from './workbench.tsx'

const read = (nameOrHash: string) => get<PlaybookDetail>(`/playbooks/${encodeURIComponent(nameOrHash)}`)

/** A playbook by its name, or one of its versions by its hash. */
export default function PlaybookPage() {
  const { id } = useParams<{ id: string }>()
  const mayEdit = useMayEdit()
  const mayStart = useMay('analyst', 'admin')
  const found = useQuery({ queryKey: ['playbook', id], queryFn: () => read(id), refetchOnWindowFocus: false })
  const name = found.data?.name
  const newest = useQuery({
    queryKey: ['playbook', name],
    queryFn: () => read(name ?? ''),
    enabled: name !== undefined,
    refetchOnWindowFocus: false,
  })
  if (found.isPending) return <Loader aria-label="Loading" />
  if (found.isLoadingError) return <Refusal error={found.error} onRetry={() => void found.refetch()} />
  const { data } = found
  const isNewest = newest.data === undefined || newest.data.hash === data.hash
  return (
    <Stack>
      <Group justify="space-between">
        <ViewTitle>{data.name}</ViewTitle>
        {mayStart && isNewest && isManual(data.source) && <StartByHand name={data.name} />}
      </Group>
      {!isNewest && (
        <Alert color="blue" variant="light" title="This is an earlier version">
          In force from <Time at={data.created_at} /> on.{' '}
          <Anchor underline="always" component={Link} href={`/playbooks/${data.name}`} size="sm">
            To the newest
          </Anchor>
        </Alert>
      )}
      <Workbench
        key={data.hash}
        source={data.source}
        hash={data.hash}
        isReadOnly={!mayEdit || !isNewest || data.origin === 'made'}
      />
      <Versions playbook={data} />
    </Stack>
  )
}
