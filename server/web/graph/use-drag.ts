import { useRef, type PointerEvent } from 'react'

/** What scrolls is dragged with the mouse, by what is no button; fingers scroll it anyway. */
export function useDrag() {
  const last = useRef<{ readonly x: number; readonly y: number }>(undefined)
  return {
    onPointerDown({
      pointerType,
      button,
      target,
      currentTarget,
      pointerId,
      clientX: x,
      clientY: y,
    }: PointerEvent) {
      if (pointerType !== 'mouse' || button !== 0) return
      if (target instanceof Element && target.closest('button') !== null) return
      // Not by its bars.
      const { left, top } = currentTarget.getBoundingClientRect()
      if (x - left > currentTarget.clientWidth || y - top > currentTarget.clientHeight) return
      last.current = { x, y }
      currentTarget.setPointerCapture(pointerId)
    },
    onPointerMove({ currentTarget, clientX: x, clientY: y }: PointerEvent) {
      const { current: before } = last
      if (before === undefined) return
      currentTarget.scrollBy(before.x - x, before.y - y)
      last.current = { x, y }
    },
    onLostPointerCapture() {
      last.current = undefined
    },
  }
}
