import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState, type RefObject } from 'react'

/** What the history of the browser keeps of a table. */
interface Place {
  readonly scrollTop?: number
}

/**
 * Where a table was scrolled to, in pixels, when somebody comes back to it; 0 for who comes anew. The entry in the history of the
 * browser keeps it.
 */
export function usePlace(viewport: RefObject<HTMLElement | null>): number {
  const [scrollTop] = useState(() => (history.state as Place | null)?.scrollTop ?? 0)
  const keep = useDebouncedCallback(() => {
    const table = viewport.current
    if (table === null) return
    history.replaceState({ ...(history.state as object | null), scrollTop: table.scrollTop }, '')
  }, 200)
  useEffect(() => {
    const table = viewport.current
    table?.addEventListener('scroll', keep, { passive: true })
    return () => table?.removeEventListener('scroll', keep)
  }, [keep, viewport])
  return scrollTop
}
