import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { get, type Query } from '../../api/call.ts'
import type { Page } from '../../api/types.ts'
import { usePollMs } from '../../live/live-state.ts'
import { serverTime } from '../../parts/time/now.ts'
import { fetchFresh } from './fetch-fresh.ts'
import { mergeFresh, renewPage } from './merge-fresh.ts'
import { paced, type Paced } from '../table/paced.ts'
import { queryNow, rowsSince } from './since.ts'
import { useBegin } from './use-begin.ts'

const pageSize = 100
/** Where nobody tells of changes. */
const pollMs = 2_000
/** So often at most the pages further down are asked for again, and so many of them: a thousand rows. */
const renewMs = 5_000
const renewed = 9

/** The same one each time: another one would be another list. */
const noQuery: Query = {}

interface ListOptions<Row> {
  readonly path: string
  /** As the API has it, and `since`: a span of time up to now, which moves on. */
  readonly query?: Query
  readonly idOf: (row: Row) => string
  /** The list is looked at again while it is shown. */
  readonly isLive?: boolean
}

type Shown<Row> = InfiniteData<Page<Row>, string | undefined>

/** A list of the API that grows as it is scrolled, and shows what comes, changes and leaves. */
export function useList<Row>({ path, query = noQuery, idOf, isLive = true }: ListOptions<Row>) {
  const queries = useQueryClient()
  const poll = usePollMs()
  const key = useMemo(() => ['list', path, query] as const, [path, query])
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      get<Page<Row>>(path, { ...queryNow(query, serverTime()), limit: pageSize, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  })
  const [gap, setGap] = useState({ key, missed: 0 })
  const missed = gap.key === key ? gap.missed : 0
  const fresh = useQuery({
    queryKey: [...key, 'fresh'],
    queryFn: ({ signal }) => {
      // Once they are too far away they are not looked for at each look.
      const pages = missed > 0 ? [] : (queries.getQueryData<Shown<Row>>(key)?.pages ?? [])
      const shown = pages.flatMap((page) => page.data)
      const asked = { ...queryNow(query, serverTime()), limit: pageSize }
      return fetchFresh<Row>(path, asked, new Set(shown.map(idOf)), idOf, signal)
    },
    refetchInterval: poll(pollMs),
    enabled: isLive && list.data !== undefined,
    staleTime: 0,
  })
  const { data } = fresh
  useEffect(() => {
    if (data === undefined) return
    const before = queries.getQueryData<Shown<Row>>(key)
    if (before === undefined) return
    const pages = mergeFresh(before.pages, data, idOf)
    setGap((last) => {
      const known = last.key === key ? last.missed : 0
      return { key, missed: pages === undefined ? Math.max(known, data.data.length) : 0 }
    })
    if (pages === undefined) return
    queries.setQueryData<Shown<Row>>(key, { pages, pageParams: before.pageParams.slice(0, pages.length) })
  }, [data, idOf, key, queries])
  const renewal = useRef<Paced>(undefined)
  useEffect(() => {
    const renew = async (gone: AbortSignal): Promise<void> => {
      const cursors = queries.getQueryData<Shown<Row>>(key)?.pageParams ?? []
      for (const [index, cursor] of cursors.entries()) {
        if (index === 0 || index > renewed || gone.aborted) continue
        const asked = { ...queryNow(query, serverTime()), limit: pageSize, cursor }
        // oxlint-disable-next-line no-await-in-loop -- one request at a time: there is no hurry
        const page = await get<Page<Row>>(path, asked, gone)
        queries.setQueryData<Shown<Row>>(key, (before) => {
          if (before === undefined || before.pageParams[index] !== cursor) return before
          return { ...before, pages: renewPage(before.pages, index, page, idOf) }
        })
      }
    }
    const pace = paced(renew, renewMs)
    renewal.current = pace
    return () => pace.stop()
  }, [idOf, key, path, queries, query])
  useEffect(() => {
    if (data !== undefined) renewal.current?.due()
  }, [data, key])
  const begin = useBegin(query['since']?.toString())
  const rows = useMemo(
    () => rowsSince(list.data?.pages.flatMap((page) => page.data) ?? [], begin),
    [list.data, begin],
  )
  const total = fresh.data?.total ?? list.data?.pages[0]?.total
  const cursor = list.data?.pages.at(-1)?.next_cursor ?? undefined
  const [refused, setRefused] = useState<string>()
  const more = {
    total,
    missed,
    onBegin() {
      setGap({ key, missed: 0 })
      void queries.resetQueries({ queryKey: key, exact: true })
    },
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    isMoreRefused:
      !list.isFetchingNextPage &&
      (list.isFetchNextPageError || (refused !== undefined && refused === cursor)),
    async onMore() {
      const { isFetchNextPageError } = await list.fetchNextPage()
      setRefused(isFetchNextPageError ? cursor : undefined)
    },
  }
  // Where only the next page is refused, the end of the table says so.
  const error = list.isFetchNextPageError ? null : list.error
  return { ...list, rows, total, more, error }
}
