import { whoText } from '../../parts/who-text.ts'
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { get } from '../../api/call.ts'
import { Refusal } from '../../parts/states/refusal.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { Time } from '../../parts/time/times.tsx'
import { Differences } from '../editor/differences.tsx'
import type { PlaybookDetail } from '../playbook.ts'

interface OvertakenProps {
  readonly name: string
  readonly mine: string
  /** Whether what is mine has been checked, and is still called so. */
  readonly mayOver: boolean
  /** Puts what is mine in the place of this version, which has been seen now. */
  readonly onOver: (hash: string) => void
  readonly onTakeTheirs: () => void
}

/** Somebody else was faster: what they put in force, beside what is not saved. */
export function Overtaken({ name, mine, mayOver, onOver, onTakeTheirs }: OvertakenProps) {
  const theirs = useQuery({
    queryKey: ['overtaken', name],
    queryFn: () => get<PlaybookDetail>(`/playbooks/${encodeURIComponent(name)}`),
    staleTime: 0,
    gcTime: 0,
  })
  if (theirs.isPending) return <Loader size="sm" aria-label="Loading" />
  if (theirs.isLoadingError) return <Refusal error={theirs.error} />
  const { data } = theirs
  return (
    <Stack gap="xs">
      <Alert color="orange" title={`Someone else changed ${name}`} role="alert">
        <Text size="sm">
          {data.put_in_force_actor === null ? 'Someone' : showInvisible(whoText(data.put_in_force_actor))}{' '}
          published another version
          {data.put_in_force_at !== null && (
            <>
              {' '}
              at <Time at={data.put_in_force_at} />
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
