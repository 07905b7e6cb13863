import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, useCallback, useSyncExternalStore } from 'react'
import { apiGet, type Query } from '../api/call.ts'
import type { ApiPage } from '../api/types.ts'
import { usePollMs } from '../live/live-state.ts'
import { serverTime, currentTime, onTick } from '../parts/time.ts'
import { mergeFresh, renewPage } from './rows.ts'
import { throttled, type Throttled } from './throttled.ts'
import { queryAt, rowsSince, spanStart } from './time-range.ts'

const pageSize = 100
/** Poll interval while the change stream is down. */
const pollMs = 2_000
/** How often older pages are reloaded, and how many of them: up to 1,000 rows. */
const reloadMs = 5_000
const maxReloadedPages = 9

/** A constant, because a new object would start a new list. */
const noQuery: Query = {}
const asItIs = (query: Query): Query => query

interface ListOptions<Row> {
  readonly path: string
  /** As in the API, and `since`: a time span up to now. */
  readonly query?: Query
  /** Translates the query for the API, after time spans were replaced by times. */
  readonly toApi?: (query: Query) => Query
  readonly idOf: (row: Row) => string
}

interface ListSource<Row> extends Required<Omit<ListOptions<Row>, 'query' | 'toApi'>> {
  readonly key: readonly unknown[]
  /** The query for the API, now. */
  readonly queryNow: () => Query
}

type Shown<Row> = InfiniteData<ApiPage<Row>, string | undefined>

/** A list of the API that loads more rows on scrolling, and follows changes. */
export function useList<Row>({ path, query = noQuery, toApi = asItIs, idOf }: ListOptions<Row>) {
  const queries = useQueryClient()
  const key = useMemo(() => ['list', path, query] as const, [path, query])
  const queryNow = useCallback(() => toApi(queryAt(query, serverTime())), [query, toApi])
  const source = { key, path, queryNow, idOf }
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam: cursor, signal }) =>
      apiGet<ApiPage<Row>>(path, { ...queryNow(), limit: pageSize, cursor }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  })
  const { fresh, missed, forgetMissed } = useNewRows(source, list.data !== undefined)
  useReloadedPages(source, fresh)
  const begin = useSpanStart(query['since']?.toString())
  const rows = useMemo(
    () => rowsSince(list.data?.pages.flatMap((page) => page.data) ?? [], begin),
    [list.data, begin],
  )
  const total = fresh?.total ?? list.data?.pages[0]?.total
  const cursor = list.data?.pages.at(-1)?.next_cursor ?? undefined
  const [refused, setRefused] = useState<string>()
  const more = {
    total,
    missed,
    onBegin() {
      forgetMissed()
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
  // The end of the table shows an error of the next page.
  const error = list.isFetchNextPageError ? null : list.error
  return { ...list, rows, total, nextCursor: cursor, more, error }
}

/** Merges newer rows into the list. `missed` counts rows that are too many to merge. */
function useNewRows<Row>({ key, path, queryNow, idOf }: ListSource<Row>, isLoaded: boolean) {
  const queries = useQueryClient()
  const poll = usePollMs()
  const [gap, setGap] = useState({ key, missed: 0 })
  const missed = gap.key === key ? gap.missed : 0
  const { data: fresh } = useQuery({
    queryKey: [...key, 'fresh'],
    queryFn: ({ signal }) => {
      // Known rows that are too far away are not searched again.
      const pages = missed > 0 ? [] : (queries.getQueryData<Shown<Row>>(key)?.pages ?? [])
      const shown = new Set(pages.flatMap((page) => page.data.map(idOf)))
      return fetchFresh<Row>(path, { ...queryNow(), limit: pageSize }, shown, idOf, signal)
    },
    refetchInterval: poll(pollMs),
    enabled: isLoaded,
    staleTime: 0,
  })
  useEffect(() => {
    if (fresh === undefined) return
    const before = queries.getQueryData<Shown<Row>>(key)
    if (before === undefined) return
    const pages = mergeFresh(before.pages, fresh, idOf)
    setGap((last) => {
      const known = last.key === key ? last.missed : 0
      return { key, missed: pages === undefined ? Math.max(known, fresh.data.length) : 0 }
    })
    if (pages === undefined) return
    queries.setQueryData<Shown<Row>>(key, { pages, pageParams: before.pageParams.slice(0, pages.length) })
  }, [fresh, idOf, key, queries])
  return { fresh, missed, forgetMissed: () => setGap({ key, missed: 0 }) }
}

/** Reloads older pages at a slow rate after new rows arrived. */
function useReloadedPages<Row>({ key, path, queryNow, idOf }: ListSource<Row>, fresh: unknown): void {
  const queries = useQueryClient()
  const reload = useRef<Throttled>(undefined)
  useEffect(() => {
    const load = async (gone: AbortSignal): Promise<void> => {
      const cursors = queries.getQueryData<Shown<Row>>(key)?.pageParams ?? []
      for (const [index, cursor] of cursors.entries()) {
        if (index === 0 || index > maxReloadedPages || gone.aborted) continue
        const request = { ...queryNow(), limit: pageSize, cursor }
        // oxlint-disable-next-line no-await-in-loop -- one request at a time: there is no hurry
        const page = await apiGet<ApiPage<Row>>(path, request, gone)
        queries.setQueryData<Shown<Row>>(key, (before) => {
          if (before === undefined || before.pageParams[index] !== cursor) return before
          return { ...before, pages: renewPage(before.pages, index, page, idOf) }
        })
      }
    }
    const pace = throttled(load, reloadMs)
    reload.current = pace
    return () => pace.stop()
  }, [idOf, key, path, queries, queryNow])
  useEffect(() => {
    if (fresh !== undefined) reload.current?.due()
  }, [fresh, key])
}

/** How far known rows are searched: about 2,000 rows. */
const pagesAtMost = 11
const largestPage = 200

/**
 * Loads new pages up to the first known row: in an alert storm, more rows arrive between two polls than fit
 * on one page.
 */
async function fetchFresh<Row>(
  path: string,
  query: Query,
  shown: ReadonlySet<string>,
  idOf: (row: Row) => string,
  signal: AbortSignal,
): Promise<ApiPage<Row>> {
  const first = await apiGet<ApiPage<Row>>(path, query, signal)
  const rows = [...first.data]
  let { next_cursor: cursor } = first
  for (let pages = 1; pages < pagesAtMost && cursor !== null && shown.size > 0; pages++) {
    if (rows.some((row) => shown.has(idOf(row)))) break
    // oxlint-disable-next-line no-await-in-loop -- each page continues the one before
    const next = await apiGet<ApiPage<Row>>(path, { ...query, limit: largestPage, cursor }, signal)
    rows.push(...next.data)
    cursor = next.next_cursor
  }
  return { ...first, data: rows, next_cursor: cursor }
}

const never = () => () => undefined

/** Start of a time span up to now. Moves with the time. */
function useSpanStart(span: string | undefined): number | undefined {
  return useSyncExternalStore(
    span === undefined ? never : onTick,
    useCallback(() => spanStart(span, currentTime()), [span]),
  )
}
