import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'

type Changes<Name extends string> = Partial<Readonly<Record<Name, string | null>>>

/**
 * Filters of a view that stand in the address, so that a link shows the same. What is chosen is a step of the history, which Back
 * undoes; what is typed, or only says where one looks, takes the place of what was there.
 */
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
  /** What a field of a filter needs. */
  const of = (name: Name) => ({
    value: filters[name],
    onChange: (value: string | null) => choose({ [name]: value } as Changes<Name>),
    onType: (value: string) => set(name, value),
  })
  return { filters, set, choose, of }
}
