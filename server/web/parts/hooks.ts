import {
  useCallback,
  useEffect,
  useRef,
  useLayoutEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type RefObject,
} from 'react'
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
export function useStableCallback<Args extends readonly unknown[], Result>(
  act: (...args: Args) => Result,
): (...args: Args) => Result {
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

/** The browser drops the focus when its element is removed, moved or disabled. */
const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/**
 * For an action that removes, moves or disables the element with the focus, such as a form that closes after it is
 * sent: the target gets the focus when it is lost, unless the person has moved on.
 *
 * @returns the target, and a function to call when the action begins
 */
export function useFocusAfter<Target extends HTMLElement>(): readonly [RefObject<Target | null>, () => void] {
  const target = useRef<Target>(null)
  const from = useRef<Element>(null)
  useEffect(() => {
    if (from.current === null || document.activeElement === from.current) return
    if (isFocusLost()) target.current?.focus()
    if (!isFocusLost()) from.current = null
  })
  const begin = useCallback(() => {
    from.current = document.activeElement
  }, [])
  return [target, begin]
}

/** Returns the focus to where it was at the first render when the component is removed with the focus in it. */
export function useFocusReturnAtEnd(isWanted: boolean): void {
  const [from] = useState(() => (isWanted ? document.activeElement : null))
  useEffect(
    () => () => {
      if (isFocusLost() && from instanceof HTMLElement && from.isConnected)
        from.focus({ preventScroll: true })
    },
    [from],
  )
}
