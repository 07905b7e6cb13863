import { useCallback, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'

/** Leads on after something was done, for whoever is still here: what ends after they went elsewhere does not fetch them back. */
export function useGoOn(): (to: string) => void {
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
