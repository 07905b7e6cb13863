import { useLayoutEffect, useMemo, useRef } from 'react'

/** One function for as long as the component lives, which does what the newest one given does: what gets it need not be drawn anew. */
export function useSteady<Args extends readonly unknown[]>(
  act: (...args: Args) => void,
): (...args: Args) => void {
  const newest = useRef(act)
  useLayoutEffect(() => {
    newest.current = act
  })
  return useMemo(
    () =>
      (...args: Args) =>
        newest.current(...args),
    [],
  )
}
