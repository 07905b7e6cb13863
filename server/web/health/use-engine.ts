import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { apiGet } from '../api/call.ts'
import { addSample, sampleOf, type EngineSample } from './engine-history.ts'
import type { ApiEngine } from '../api/types.ts'

const engineQuery = { queryKey: ['engine'], queryFn: () => apiGet<ApiEngine>('/engine') } as const

/** The state of the engine, reloaded every `everyMs`. */
export const useEngine = (everyMs: number) => useQuery({ ...engineQuery, refetchInterval: everyMs })

/** Samples since the page was opened. The server keeps no history. */
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
      addSample(before, sampleOf(data, dataUpdatedAt)),
    )
  }, [data, dataUpdatedAt, queries])
  return history.data
}
