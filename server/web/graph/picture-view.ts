import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { useStableCallback } from '../parts/hooks.ts'
import type { ApiGraph } from '../api/types.ts'

/** A box in pixels with its center at `x` and `y`. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Point {
  readonly x: number
  readonly y: number
}

const step = 1.2

/** Zoom and scroll position of the graph, by buttons, keys, wheel and dragging. */
export function usePictureView(
  viewport: RefObject<HTMLElement | null>,
  graph: ApiGraph,
  shown: Box | undefined,
) {
  const [fitted, setFitted] = useState(1)
  /** A chosen zoom stays while the graph changes. */
  const [chosen, setChosen] = useState<number>()
  const zoom = chosen ?? fitted
  const next = useRef<Point>(undefined)
  const room = () => ({
    width: (viewport.current?.clientWidth ?? graph.width) - 2,
    height: (viewport.current?.clientHeight ?? graph.height) - 2,
  })
  const { width, height } = graph
  const fit = useStableCallback(() => setFitted(firstZoom({ width, height }, room())))
  useLayoutEffect(fit, [fit, width, height])
  useResize(viewport, fit)
  useLayoutEffect(() => {
    const { current: to } = next
    next.current = undefined
    if (to !== undefined) viewport.current?.scrollTo(to.x, to.y)
  }, [viewport, zoom])
  const { x, y, width: wide = 0, height: high = 0 } = shown ?? {}
  const show = useStableCallback((place: typeof scrollIntoView) => {
    const table = viewport.current
    if (table === null || x === undefined || y === undefined) return
    table.scrollTo(
      place(table.scrollLeft, table.clientWidth, x * zoom, wide * zoom),
      place(table.scrollTop, table.clientHeight, y * zoom, high * zoom),
    )
  })
  useEffect(() => show(scrollIntoView), [show, x, y])
  // The first zoom moves the content: center it again.
  useEffect(() => show(scrollToMiddle), [show, fitted])
  const zoomTo = useStableCallback((wanted: number, at?: Point) => {
    const table = viewport.current
    if (table === null) return
    const after = limitZoom(wanted, graph, room())
    const { x: left, y: top } = at ?? { x: table.clientWidth / 2, y: table.clientHeight / 2 }
    next.current = {
      x: scrollAtZoom(table.scrollLeft, left, zoom, after),
      y: scrollAtZoom(table.scrollTop, top, zoom, after),
    }
    setChosen(after)
  })
  const onWheel = useStableCallback((event: WheelEvent) => {
    // A pinch on a touchpad arrives as a wheel event with Ctrl.
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const { left = 0, top = 0 } = viewport.current?.getBoundingClientRect() ?? {}
    zoomTo(zoom * Math.exp(-event.deltaY / 500), { x: event.clientX - left, y: event.clientY - top })
  })
  useEffect(() => {
    const table = viewport.current
    // React listens passively, and the browser would zoom the page.
    table?.addEventListener('wheel', onWheel, { passive: false })
    return () => table?.removeEventListener('wheel', onWheel)
  }, [onWheel, viewport])
  usePinch(viewport, zoom, zoomTo)
  const acts = {
    smaller: () => zoomTo(zoom / step),
    larger: () => zoomTo(zoom * step),
    whole: () => zoomTo(wholeZoom(graph, room())),
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const act = { '-': acts.smaller, '+': acts.larger, '=': acts.larger, '0': acts.whole }[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return { zoom, onKeyDown, ...acts }
}

/** Calls `act` when the width of the element changes, e.g. because a phone is turned. */
function useResize(viewport: RefObject<HTMLElement | null>, act: () => void): void {
  useEffect(() => {
    const { current: table } = viewport
    if (table === null) return undefined
    let width = table.clientWidth
    const observer = new ResizeObserver(() => {
      if (table.clientWidth === width) return
      width = table.clientWidth
      act()
    })
    observer.observe(table)
    return () => observer.disconnect()
  }, [viewport, act])
}

/** Zooms with two fingers. One finger scrolls, which the browser does. */
function usePinch(
  viewport: RefObject<HTMLElement | null>,
  zoom: number,
  zoomTo: (zoom: number, at: Point) => void,
): void {
  const begun = useRef<{ readonly distance: number; readonly zoom: number }>(undefined)
  const onTouch = useStableCallback((event: TouchEvent) => {
    const [one, other] = event.touches
    if (one === undefined || other === undefined || event.touches.length > 2) {
      begun.current = undefined
      return
    }
    event.preventDefault()
    const distance = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)
    begun.current ??= { distance, zoom }
    const { left = 0, top = 0 } = viewport.current?.getBoundingClientRect() ?? {}
    const at = { x: (one.clientX + other.clientX) / 2 - left, y: (one.clientY + other.clientY) / 2 - top }
    zoomTo(begun.current.zoom * (distance / Math.max(1, begun.current.distance)), at)
  })
  useEffect(() => {
    const { current: table } = viewport
    const events = ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const
    for (const event of events) table?.addEventListener(event, onTouch, { passive: false })
    return () => {
      for (const event of events) table?.removeEventListener(event, onTouch)
    }
  }, [viewport, onTouch])
}

/** Zoom and scroll calculations, in pixels. Zoom 1 is the size of the layout. */

interface Size {
  readonly width: number
  readonly height: number
}

/** A whole graph is shown first from this zoom on. */
const comfortable = 0.75
/** Below, only titles are shown, in larger letters. */
export const detailedFrom = 0.6
/** Below, titles are too large for their boxes. */
const leastFirst = 0.5
const largest = 1.6
const smallest = 0.4

/** Fits all of it, at most at its own size. */
export const wholeZoom = (picture: Size, room: Size): number =>
  Math.min(1, room.width / picture.width, room.height / picture.height)

/** The initial zoom: the whole if that is comfortable, else the whole width while titles are readable. */
export function firstZoom(picture: Size, room: Size): number {
  const whole = wholeZoom(picture, room)
  return whole >= comfortable ? whole : Math.max(leastFirst, Math.min(1, room.width / picture.width))
}

/** The zoom within its limits. Large graphs may be as small as needed to fit. */
export const limitZoom = (zoom: number, picture: Size, room: Size): number =>
  Math.min(largest, Math.max(Math.min(smallest, wholeZoom(picture, room)), zoom))

/**
 * Scroll position along one axis that keeps a point in place while the zoom changes.
 *
 * @param at distance of the point from the visible edge
 */
export const scrollAtZoom = (scroll: number, at: number, before: number, after: number): number =>
  ((scroll + at) * after) / before - at

/** Scroll position along one axis that centers a point. */
const scrollToMiddle = (_scroll: number, room: number, middle: number): number =>
  Math.max(0, middle - room / 2)

/** Scroll position along one axis that makes a part visible. Moves only if necessary. */
export function scrollIntoView(scroll: number, room: number, middle: number, length: number): number {
  const isInSight = middle - length / 2 >= scroll && middle + length / 2 <= scroll + room
  return isInSight ? scroll : scrollToMiddle(scroll, room, middle)
}
