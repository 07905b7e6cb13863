import { useQuery } from '@tanstack/react-query'
import { get } from './call.ts'
import { problemOf } from './problem.ts'
import type { Page } from './types.ts'

/** What can be chosen from. */
export interface Lookup {
  /** Empty until they are known. */
  readonly codes: readonly string[]
  /** Why they are not known, for the field that they are chosen in; undefined where they are, or will be in a moment. */
  readonly error: string | undefined
}

/** After a failure it is asked again. */
const againMs = 5_000

type Path = '/organizations' | '/providers'

async function codesOf(path: Path): Promise<readonly string[]> {
  const codes: string[] = []
  let cursor: string | undefined
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page: Page<{ readonly code: string }> = await get(path, { limit: 200, cursor })
    codes.push(...page.data.map(({ code }) => code))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return codes
}

const none: readonly string[] = []

function useLookup(path: Path): Lookup {
  const {
    data = none,
    isLoadingError,
    error,
  } = useQuery({
    queryKey: [path],
    queryFn: () => codesOf(path),
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.status === 'error' ? againMs : false),
  })
  return { codes: data, error: isLoadingError ? `Not loaded: ${problemOf(error).title}` : undefined }
}

/** Organizations that whoever is signed in may see. */
export const useOrganizations = (): Lookup => useLookup('/organizations')

/** What alerts may come from. */
export const useProviders = (): Lookup => useLookup('/providers')
