import { useEffect, useRef } from 'react'

/** After a step to another view the keyboard, and what reads aloud, goes on in it; at first it begins at the top of the page. */
export function useFocusView(location: string): void {
  const before = useRef(location)
  useEffect(() => {
    if (before.current === location) return
    before.current = location
    const isElsewhere = document.activeElement !== null && document.activeElement !== document.body
    // A field of the view that took the focus keeps it.
    if (isElsewhere && document.activeElement?.closest('#view') !== null) return
    document.querySelector<HTMLElement>('#view')?.focus({ preventScroll: true })
  }, [location])
}
