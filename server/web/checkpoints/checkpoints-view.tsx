import { SegmentedControl, Stack, Text } from '@mantine/core'
import { QuestionMarkCircledIcon } from '@radix-ui/react-icons'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { useFilters } from '../lists/use-filters.ts'
import { usePollMs } from '../live/live-state.ts'
import { Empty } from '../parts/empty.tsx'
import { PageLoading } from '../parts/page-loading.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { ViewHead } from '../shell/view-head.tsx'
import { CheckpointCard } from './checkpoint-card.tsx'
import { kindsOf } from './kinds.ts'
import { ManyAlike } from './many-alike.tsx'
import { UndecidedRuns } from './undecided-runs.tsx'
import { useKept } from './use-kept.ts'
import { checkpointStates, type Checkpoint, type CheckpointState } from './checkpoint.ts'

const names = ['state', 'run', 'organization', 'via'] as const
const shown = 100
const noRows: readonly Checkpoint[] = []

const isState = (word: string): word is CheckpointState => Object.hasOwn(checkpointStates, word)

/** The questions to people: those that wait, the oldest first, and those that are over, the newest first. */
export default function CheckpointsView() {
  const { filters, set } = useFilters(names)
  const state = isState(filters.state ?? '') ? (filters.state as CheckpointState) : 'waiting'
  const sort = state === 'waiting' ? 'created_at' : '-created_at'
  const poll = usePollMs()
  const list = useQuery({
    queryKey: ['checkpoints', filters],
    queryFn: () => get<Page<Checkpoint>>('/checkpoints', { ...filters, state, limit: shown, sort }),
    refetchInterval: poll(2_000),
  })
  const rows = list.data?.data ?? noRows
  const kept = useKept(JSON.stringify(filters), rows)
  const isWaiting = state === 'waiting'
  const cards = isWaiting ? kept : rows
  const waiting = useMemo(() => new Set(rows), [rows])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const alike = useMemo(
    () => new Set(isWaiting ? kindsOf(cards).flatMap(({ ids }) => ids) : []),
    [cards, isWaiting],
  )
  const choiceOf = (id: string) => ({
    isChosen: chosen.has(id),
    onChange: (isChosen: boolean) => {
      const next = new Set(chosen)
      if (isChosen) next.add(id)
      else next.delete(id)
      setChosen(next)
    },
  })
  return (
    <Stack maw={820}>
      <ViewHead
        title="Waiting for a person"
        actions={
          <SegmentedControl
            size="xs"
            aria-label="What became of them"
            data={Object.entries(checkpointStates).map(([value, { text: label }]) => ({ value, label }))}
            value={state}
            onChange={(next) => set('state', next === 'waiting' ? null : next)}
          />
        }
      />
      {isWaiting && filters.run === undefined && <UndecidedRuns organization={filters.organization} />}
      {list.isPending && <PageLoading />}
      {list.isLoadingError && <Refusal error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.total === 0 && cards.length === 0 && (
        <Empty icon={QuestionMarkCircledIcon}>{checkpointStates[state].empty}</Empty>
      )}
      {isWaiting && <ManyAlike checkpoints={rows} chosen={chosen} onDone={() => setChosen(new Set())} />}
      {cards.map((checkpoint) => (
        <CheckpointCard
          key={checkpoint.checkpoint_id}
          checkpoint={checkpoint}
          isEnded={isWaiting && list.data !== undefined && !waiting.has(checkpoint)}
          choice={alike.has(checkpoint.checkpoint_id) ? choiceOf(checkpoint.checkpoint_id) : undefined}
        />
      ))}
      {(list.data?.total ?? 0) > shown && (
        <Text c="dimmed">{(list.data?.total ?? 0) - shown} more stand behind these.</Text>
      )}
    </Stack>
  )
}
