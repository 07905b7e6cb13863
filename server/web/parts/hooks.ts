import { useCallback, useEffect, useRef, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'

/** Navigates after an action, unless the user has already left. */
export function useNavigateWhileMounted(): (to: string) => void {
  const [, navigate] = useLocation()
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return useCallback(
    (to) => {
      if (isHere.current) navigate(to)
    },
    [navigate],
  )
}

/** A stable function that calls the latest `act`. Components that receive it need not render again. */
export function useStableCallback<Args extends readonly unknown[]>(
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

/** A value outside of React. Components that use it render on changes. */
export function createStore<Value>(initial: Value) {
  const listeners = new Set<() => void>()
  let value = initial
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get: () => value,
    /** Returns whether the value changed. */
    set: (next: Value): boolean => {
      if (next === value) return false
      value = next
      for (const listener of listeners) listener()
      return true
    },
    use: (): Value => useSyncExternalStore(subscribe, () => value),
  }
}
