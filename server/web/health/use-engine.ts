import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { get } from '../api/call.ts'
import { remember, sampleOf, type EngineSample } from './engine-history.ts'
import type { Engine } from './engine.ts'

const engineQuery = { queryKey: ['engine'], queryFn: () => get<Engine>('/engine') } as const

/** How the engine does, looked at again after `everyMs`. */
export const useEngine = (everyMs: number) => useQuery({ ...engineQuery, refetchInterval: everyMs })

/** How it did since somebody looks at the page; the server keeps no history. */
export function useEngineHistory(): readonly EngineSample[] {
  const queries = useQueryClient()
  const { data, dataUpdatedAt } = useQuery({ ...engineQuery, enabled: false })
  const history = useQuery({
    queryKey: ['engine-history'],
    queryFn: () => [] as readonly EngineSample[],
    enabled: false,
    initialData: [],
  })
  useEffect(() => {
    if (data === undefined) return
    queries.setQueryData<readonly EngineSample[]>(['engine-history'], (before = []) =>
      remember(before, sampleOf(data, dataUpdatedAt)),
    )
  }, [data, dataUpdatedAt, queries])
  return history.data
}
