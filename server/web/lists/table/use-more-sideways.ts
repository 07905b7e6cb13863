import { useEffect, useState, type RefObject } from 'react'
import { isMoreSideways } from './is-more-sideways.ts'

/** Whether what scrolls sideways has more beyond its end; looked at again when it is scrolled, or it or its content changes its size. */
export function useMoreSideways(viewport: RefObject<HTMLElement | null>): boolean {
  const [isMore, setMore] = useState(false)
  useEffect(() => {
    const table = viewport.current
    if (table === null) return undefined
    const look = (): void => setMore(isMoreSideways(table))
    const sizes = new ResizeObserver(look)
    for (const part of [table, ...table.children]) sizes.observe(part)
    table.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      table.removeEventListener('scroll', look)
    }
  }, [viewport])
  return isMore
}
