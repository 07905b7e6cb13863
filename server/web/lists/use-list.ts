import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { get, type Query } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { mergeFresh } from './merge-fresh.ts'

const pageSize = 100
/** What a poll asks for: the rows that are most likely to be new or to have changed. */
const freshSize = 50
/** Where nobody tells of changes. */
const pollMs = 2_000

/** The same one each time: another one would be another list. */
const noQuery: Query = {}

interface ListOptions<Row> {
  readonly path: string
  readonly query?: Query
  readonly idOf: (row: Row) => string
  /** New rows belong at the top. */
  readonly isNewestFirst?: boolean
  /** The list is looked at again while it is shown. */
  readonly isLive?: boolean
}

/** A list of the API that grows as it is scrolled, and shows what is new and what changed. */
export function useList<Row>({
  path,
  query = noQuery,
  idOf,
  isNewestFirst = true,
  isLive = true,
}: ListOptions<Row>) {
  const queries = useQueryClient()
  const poll = usePollMs()
  const key = useMemo(() => ['list', path, query] as const, [path, query])
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      get<Page<Row>>(path, { ...query, limit: pageSize, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  })
  const fresh = useQuery({
    queryKey: [...key, 'fresh'],
    queryFn: ({ signal }) => get<Page<Row>>(path, { ...query, limit: freshSize }, signal),
    refetchInterval: poll(pollMs),
    enabled: isLive && list.isSuccess,
    staleTime: 0,
  })
  const { data } = fresh
  useEffect(() => {
    if (data === undefined) return
    queries.setQueryData<InfiniteData<Page<Row>>>(key, (before) => {
      if (before === undefined) return before
      const pages = mergeFresh(before.pages, data, idOf, isNewestFirst)
      // More came than a poll brings: there would be a gap.
      if (pages === undefined) void queries.resetQueries({ queryKey: key, exact: true })
      return pages === undefined ? before : { ...before, pages }
    })
  }, [data, idOf, isNewestFirst, key, queries])
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? [], [list.data])
  const total = fresh.data?.total ?? list.data?.pages[0]?.total
  return { ...list, rows, total }
}
