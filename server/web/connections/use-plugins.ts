import { useQuery } from '@tanstack/react-query'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import type { Plugin } from './connection.ts'

/** The plugins whose systems connections lead to. */
export const usePlugins = () =>
  useQuery({
    queryKey: ['plugins'],
    queryFn: () => get<Page<Plugin>>('/plugins', { limit: 200 }),
    staleTime: Infinity,
    select: ({ data }) => data.filter(({ connection }) => connection !== null),
  })
