import { useQuery } from '@tanstack/react-query'
import { get } from './call.ts'
import type { Page } from './types.ts'

interface Named {
  readonly code: string
  readonly name: string
}

const useNamed = (path: '/organizations' | '/providers'): readonly Named[] =>
  useQuery({ queryKey: [path], queryFn: () => get<Page<Named>>(`${path}?limit=200`), staleTime: 60_000 }).data
    ?.data ?? []

/** Organizations that whoever is signed in may see; empty until they are known. */
export const useOrganizations = (): readonly Named[] => useNamed('/organizations')

/** What alerts may come from; empty until it is known. */
export const useProviders = (): readonly Named[] => useNamed('/providers')
