import { Group, SegmentedControl, Stack } from '@mantine/core'
import { CircleQuestionMarkIcon } from 'lucide-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { apiGet } from '../api/call.ts'
import type { ApiPage, ApiCheckpoint } from '../api/types.ts'
import { useOrganizations } from '../api/lookups.ts'
import { SavedMenu } from '../lists/saved/saved-menu.tsx'
import { ChoiceFilter, FilterChips, LookupFilter } from '../lists/filters.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { usePollMs } from '../live/live-state.ts'
import { Empty, PageLoading } from '../parts/layout.tsx'
import { ErrorAlert, ShowMore } from '../parts/feedback.tsx'
import { useMay } from '../session/session.ts'
import { ViewHead } from '../shell/view.tsx'
import { CheckpointCard } from './checkpoint-card.tsx'
import { kindsOf, keepPositions } from './question-list.ts'
import { BulkAnswers } from './bulk-answer.tsx'
import { UndecidedRuns } from './undecided-runs.tsx'
import { checkpointTabs } from './checkpoint.ts'
import type { CheckpointState } from '../../../core/domain/checkpoint.ts'

const names = ['state', 'run', 'organization', 'via', 'sort'] as const
const pageSize = 100
/** Filters without a field. Links use them. */
const chips = [
  ['run', 'Run'],
  ['via', 'Asked via'],
] as const
const orders = [
  { value: 'created_at', label: 'Oldest first' },
  { value: '-created_at', label: 'Newest first' },
]
type Filters = ReturnType<typeof useFilters<(typeof names)[number]>>['filters']
const noRows: readonly ApiCheckpoint[] = []

const isState = (word: string): word is CheckpointState => Object.hasOwn(checkpointTabs, word)

/** Questions: open ones with the oldest first, closed ones with the newest first. */
export default function CheckpointsView() {
  const { filters, choose, of } = useFilters(names)
  const organizations = useOrganizations()
  const state = isState(filters.state ?? '') ? (filters.state as CheckpointState) : 'waiting'
  const isWaiting = state === 'waiting'
  const { list, rows, cards, total } = useQuestions(filters, state)
  const open = useMemo(() => new Set(rows), [rows])
  const mayAnswer = useMay('questions:write')
  const selection = useBulkSelection(isWaiting && mayAnswer ? cards : noRows)
  return (
    <Stack maw={820}>
      <ViewHead
        title="Waiting for an answer"
        actions={
          <SegmentedControl
            size="xs"
            maw="100%"
            style={{ flexWrap: 'wrap' }}
            aria-label="State"
            data={Object.entries(checkpointTabs).map(([value, { text: label }]) => ({ value, label }))}
            value={state}
            onChange={(next) => choose({ state: next === 'waiting' ? null : next })}
          />
        }
      />
      <Group gap="xs">
        <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
        <ChoiceFilter label="Order" data={orders} {...of('sort')} />
        <SavedMenu view="checkpoints" />
      </Group>
      <FilterChips
        filters={[
          ...chips,
          ...(isState(filters.state ?? state) ? [] : [['state', 'Unknown state'] as const]),
        ].map(([name, label]) => ({ label, value: filters[name], onClear: () => choose({ [name]: null }) }))}
      />
      {isWaiting && filters.run === undefined && <UndecidedRuns organization={filters.organization} />}
      {list.isPending && <PageLoading />}
      {list.isLoadingError && <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />}
      {list.data !== undefined && total === 0 && cards.length === 0 && (
        <Empty icon={CircleQuestionMarkIcon}>{checkpointTabs[state].empty}</Empty>
      )}
      {isWaiting && mayAnswer && (
        <BulkAnswers checkpoints={rows} chosen={selection.chosen} onDone={selection.clear} />
      )}
      {cards.map((checkpoint) => (
        <CheckpointCard
          key={checkpoint.checkpoint_id}
          checkpoint={checkpoint}
          isEnded={isWaiting && list.data !== undefined && !open.has(checkpoint)}
          choice={selection.choiceOf(checkpoint.checkpoint_id)}
        />
      ))}
      <ShowMore hidden={total - rows.length} query={list} />
    </Stack>
  )
}

/** Questions in the order in which they appeared, also after they were closed. */
function useKept(filters: string, waiting: readonly ApiCheckpoint[]): readonly ApiCheckpoint[] {
  const [kept, setKept] = useState({ filters, waiting, shown: waiting })
  if (kept.filters === filters && kept.waiting === waiting) return kept.shown
  const shown = keepPositions(kept.filters === filters ? kept.shown : [], waiting)
  setKept({ filters, waiting, shown })
  return shown
}

function useQuestions(filters: Filters, state: CheckpointState) {
  const poll = usePollMs()
  const { sort = state === 'waiting' ? 'created_at' : '-created_at' } = filters
  const list = useInfiniteQuery({
    queryKey: ['checkpoints', filters],
    queryFn: ({ pageParam: cursor, signal }) =>
      apiGet<ApiPage<ApiCheckpoint>>(
        '/checkpoints',
        { ...filters, state, limit: pageSize, sort, cursor },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: poll(2_000),
  })
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? noRows, [list.data])
  const kept = useKept(JSON.stringify(filters), rows)
  return { list, rows, cards: state === 'waiting' ? kept : rows, total: list.data?.pages[0]?.total ?? 0 }
}

/** Questions that can be answered together, and which of them are selected. */
function useBulkSelection(cards: readonly ApiCheckpoint[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const alike = useMemo(() => new Set(kindsOf(cards).flatMap(({ ids }) => ids)), [cards])
  return {
    chosen,
    clear: () => setChosen(new Set()),
    choiceOf(id: string) {
      if (!alike.has(id)) return undefined
      return {
        isChosen: chosen.has(id),
        onChange: (isChosen: boolean) =>
          setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id))),
      }
    },
  }
}
