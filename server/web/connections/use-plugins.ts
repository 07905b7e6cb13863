import { useQuery } from '@tanstack/react-query'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import type { Plugin } from './connection.ts'

/** The plugins whose systems connections lead to; undefined until they are known. */
export function usePlugins(): readonly Plugin[] | undefined {
  const plugins = useQuery({
    queryKey: ['plugins'],
    queryFn: () => get<Page<Plugin>>('/plugins', { limit: 200 }),
    staleTime: Infinity,
  })
  return plugins.data?.data.filter(({ connection }) => connection !== null)
}
