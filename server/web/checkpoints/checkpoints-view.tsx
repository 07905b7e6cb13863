import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { QuestionMarkCircledIcon } from '@radix-ui/react-icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { FilterChips } from '../lists/filters/filter-chips.tsx'
import { useFilters } from '../lists/filters/use-filters.ts'
import { usePollMs } from '../live/live-state.ts'
import { Empty } from '../parts/states/empty.tsx'
import { PageLoading } from '../parts/states/page-loading.tsx'
import { Refusal } from '../parts/states/refusal.tsx'
import { useMay } from '../session/session.ts'
import { ViewHead } from '../shell/view/view-head.tsx'
import { CheckpointCard } from './checkpoint-card.tsx'
import { kindsOf } from './answer/kinds.ts'
import { ManyAlike } from './answer/many-alike.tsx'
import { UndecidedRuns } from './undecided-runs.tsx'
import { useKept } from './answer/use-kept.ts'
import { checkpointStates, type Checkpoint, type CheckpointState } from './checkpoint.ts'

const names = ['state', 'run', 'organization', 'via'] as const
const pageSize = 100
/** Filters that no field shows: links lead here with them. */
const chips = [
  ['run', 'Run'],
  ['organization', 'Organization'],
  ['via', 'Asked via'],
] as const
const noRows: readonly Checkpoint[] = []

const isState = (word: string): word is CheckpointState => Object.hasOwn(checkpointStates, word)

/** The questions to people: those that wait, the oldest first, and those that are over, the newest first. */
export default function CheckpointsView() {
  const { filters, choose } = useFilters(names)
  const state = isState(filters.state ?? '') ? (filters.state as CheckpointState) : 'waiting'
  const sort = state === 'waiting' ? 'created_at' : '-created_at'
  const poll = usePollMs()
  const list = useInfiniteQuery({
    queryKey: ['checkpoints', filters],
    queryFn: ({ pageParam: cursor, signal }) =>
      get<Page<Checkpoint>>('/checkpoints', { ...filters, state, limit: pageSize, sort, cursor }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: poll(2_000),
  })
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? noRows, [list.data])
  const total = list.data?.pages[0]?.total ?? 0
  const kept = useKept(JSON.stringify(filters), rows)
  const isWaiting = state === 'waiting'
  const cards = isWaiting ? kept : rows
  const waiting = useMemo(() => new Set(rows), [rows])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const mayAnswer = useMay('analyst', 'admin')
  const alike = useMemo(
    () => new Set(isWaiting && mayAnswer ? kindsOf(cards).flatMap(({ ids }) => ids) : []),
    [cards, isWaiting, mayAnswer],
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
        title="Waiting for an answer"
        actions={
          <SegmentedControl
            size="xs"
            aria-label="State"
            data={Object.entries(checkpointStates).map(([value, { text: label }]) => ({ value, label }))}
            value={state}
            onChange={(next) => choose({ state: next === 'waiting' ? null : next })}
          />
        }
      />
      <FilterChips
        filters={[
          ...chips,
          ...(isState(filters.state ?? state) ? [] : [['state', 'Unknown state'] as const]),
        ].map(([name, label]) => ({ label, value: filters[name], onClear: () => choose({ [name]: null }) }))}
      />
      {isWaiting && filters.run === undefined && <UndecidedRuns organization={filters.organization} />}
      {list.isPending && <PageLoading />}
      {list.isLoadingError && <Refusal error={list.error} onRetry={() => void list.refetch()} />}
      {list.data !== undefined && total === 0 && cards.length === 0 && (
        <Empty icon={QuestionMarkCircledIcon}>{checkpointStates[state].empty}</Empty>
      )}
      {isWaiting && mayAnswer && (
        <ManyAlike checkpoints={rows} chosen={chosen} onDone={() => setChosen(new Set())} />
      )}
      {cards.map((checkpoint) => (
        <CheckpointCard
          key={checkpoint.checkpoint_id}
          checkpoint={checkpoint}
          isEnded={isWaiting && list.data !== undefined && !waiting.has(checkpoint)}
          choice={alike.has(checkpoint.checkpoint_id) ? choiceOf(checkpoint.checkpoint_id) : undefined}
        />
      ))}
      {list.isFetchNextPageError && <Refusal error={list.error} />}
      {list.hasNextPage && (
        <Group>
          <Text c="dimmed">{Math.max(0, total - rows.length)} more</Text>
          <Button
            size="xs"
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  )
}
