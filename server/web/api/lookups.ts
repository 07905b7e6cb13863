import { useQuery } from '@tanstack/react-query'
import { apiAll, apiGet } from './call.ts'
import { apiProblem } from './problem.ts'

/** Codes for a select field. */
export interface CodeOptions {
  /** Empty until loaded. */
  readonly codes: readonly string[]
  /** Why loading failed, shown at the field. */
  readonly error: string | undefined
}

/** Retry interval after an error. */
const againMs = 5_000

type Path = '/organizations' | '/providers'

const codesOf = async (path: Path): Promise<readonly string[]> =>
  (await apiAll<{ readonly code: string }>(path)).map(({ code }) => code)

const none: readonly string[] = []

function useLookup(path: Path): CodeOptions {
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
  return { codes: data, error: isLoadingError ? `Could not load: ${apiProblem(error).title}` : undefined }
}

/** Organizations of the key. */
export const useOrganizations = (): CodeOptions => useLookup('/organizations')

/** Providers of alerts. */
export const useProviders = (): CodeOptions => useLookup('/providers')

type Chosen = readonly [code: string | null, choose: (code: string | null) => void]

/** The organization for a request: the only one, or the selected one. Never guessed. */
export function useOrganization([chosen, choose]: Chosen) {
  const { codes, error } = useOrganizations()
  const wanted = chosen ?? (codes.length === 1 ? codes[0] : undefined)
  // A playbook may write its code in another case of letters.
  const code = codes.find((each) => each.toLowerCase() === wanted?.toLowerCase()) ?? wanted
  return {
    /** Undefined until known. */
    code,
    /** No choice is necessary. */
    isSingle: codes.length === 1,
    field: {
      label: 'Organization',
      placeholder: 'Choose organization',
      data: [...codes],
      value: code ?? null,
      onChange: choose,
      error,
      allowDeselect: false,
      searchable: codes.length > 7,
      withAsterisk: true,
    },
  }
}

interface Person {
  readonly account_id: string
  readonly name: string
  readonly email: string
}

const nobody: readonly string[] = []

/** The people who may act on the cases of an organization, by name, or by e-mail address if others have the name; empty until loaded. */
export function usePeople(organization: string | undefined): readonly string[] {
  const { data = nobody } = useQuery({
    queryKey: ['people', organization],
    queryFn: async () => {
      const path = `/organizations/${encodeURIComponent(organization ?? '')}/people`
      const { data: people } = await apiGet<{ readonly data: readonly Person[] }>(path)
      const count = Map.groupBy(people, ({ name }) => name.toLowerCase())
      return people.map(({ name, email }) => (count.get(name.toLowerCase())?.length === 1 ? name : email))
    },
    enabled: organization !== undefined,
    staleTime: 60_000,
  })
  return data
}
