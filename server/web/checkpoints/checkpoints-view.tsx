import { Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { useFilters } from '../lists/use-filters.ts'
import { Refusal } from '../parts/refusal.tsx'
import { ViewTitle } from '../shell/view-title.tsx'
import { CheckpointCard } from './checkpoint-card.tsx'
import type { Checkpoint } from './checkpoint.ts'

const names = ['run', 'organization'] as const

/** The questions that wait for a person. An answer here counts as the answer of whoever is signed in. */
export default function CheckpointsView() {
  const { filters } = useFilters(names)
  const list = useQuery({
    queryKey: ['checkpoints', filters],
    queryFn: () => get<Page<Checkpoint>>('/checkpoints', { ...filters, limit: 100, sort: 'created_at' }),
    refetchInterval: 2_000,
  })
  return (
    <Stack maw={820}>
      <ViewTitle>Waiting for a person</ViewTitle>
      {list.isPending && <Loader aria-label="Loading" />}
      {list.isError && <Refusal error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.total === 0 && <Text c="dimmed">No question waits for an answer.</Text>}
      {list.data?.data.map((checkpoint) => (
        <CheckpointCard key={checkpoint.checkpoint_id} checkpoint={checkpoint} />
      ))}
      {(list.data?.total ?? 0) > 100 && (
        <Text c="dimmed">{(list.data?.total ?? 0) - 100} more wait behind these.</Text>
      )}
    </Stack>
  )
}
