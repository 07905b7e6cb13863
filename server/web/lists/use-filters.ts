import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'

/** Filters of a view that stand in the address, so that a link shows the same. */
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
  const set = useCallback(
    (name: Name, value: string | null) => {
      setParams(
        (before) => {
          const after = new URLSearchParams(before)
          if (value === null || value === '') after.delete(name)
          else after.set(name, value)
          return after
        },
        { replace: true },
      )
    },
    [setParams],
  )
  const clear = useCallback(() => setParams(new URLSearchParams(), { replace: true }), [setParams])
  /** What a field of a filter needs. */
  const of = (name: Name) => ({
    value: filters[name],
    onChange: (value: string | null) => set(name, value),
  })
  return { filters, set, of, clear }
}
