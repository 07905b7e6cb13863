import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { apiProblem } from '../api/problem.ts'

type Changes<Name extends string> = Partial<Readonly<Record<Name, string | null>>>

/** Filters of a view in the URL. A selection adds a history entry for Back; typing replaces the entry. */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams()
  const text = params.toString()
  const filters = useMemo(() => {
    const given = new URLSearchParams(text)
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = given.get(name)
        return value === null || value === '' ? [] : [[name, value]]
      }),
    ) as Partial<Record<Name, string>>
  }, [names, text])
  const change = useCallback(
    (changes: Changes<Name>, replace: boolean) => {
      setParams(
        (before) => {
          const after = new URLSearchParams(before)
          for (const [name, value] of Object.entries<string | null | undefined>(changes)) {
            if (value === null || value === undefined || value === '') after.delete(name)
            else after.set(name, value)
          }
          return after
        },
        { replace },
      )
    },
    [setParams],
  )
  const set = useCallback(
    (name: Name, value: string | null) => change({ [name]: value } as Changes<Name>, true),
    [change],
  )
  const choose = useCallback((changes: Changes<Name>) => change(changes, false), [change])
  /** Props of a filter field. */
  const of = (name: Name) => ({
    value: filters[name],
    onChange: (value: string | null) => choose({ [name]: value } as Changes<Name>),
    onType: (value: string) => set(name, value),
  })
  return { filters, set, choose, of }
}

interface Sorting {
  readonly filters: { readonly sort?: string }
  readonly choose: (changes: { readonly sort: string | null }) => void
}

/** Props of a table that is sorted as the URL says. */
export const sortedBy = (byDefault: string, { filters: { sort = byDefault }, choose }: Sorting) => ({
  sort,
  onSort: (by: string) => choose({ sort: by === byDefault ? null : by }),
})

const shownAtMost = 60

/** Filters in the URL that the API refused; empty for other errors. */
export function invalidFilters(error: unknown, params: URLSearchParams): readonly string[] {
  const { code, errors = [] } = apiProblem(error)
  if (code !== 'query_invalid') return []
  const names = [...new Set(errors.map(({ pointer = '' }) => pointer.slice(1)))]
  if (!names.every((name) => params.has(name))) return []
  return names.map((name) => {
    const value = params.get(name) ?? ''
    const shown = value.length > shownAtMost ? `${value.slice(0, shownAtMost)}…` : value
    return `${name.replaceAll('_', ' ')}: invalid value “${shown}”`
  })
}
