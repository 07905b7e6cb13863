import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { useSteady } from '../lists/table/use-steady.ts'
import type { Box, Graph } from './graph-types.ts'
import {
  firstZoom,
  limitZoom,
  scrollKeeping,
  scrollShowing,
  scrollToMiddle,
  wholeZoom,
} from './picture-view.ts'

interface Point {
  readonly x: number
  readonly y: number
}

const step = 1.2

/** Zoom and place of a picture in what scrolls it: by buttons, by keys, with the wheel, and by dragging what is behind its parts. */
export function usePictureView(
  viewport: RefObject<HTMLElement | null>,
  graph: Graph,
  shown: Box | undefined,
) {
  const [fitted, setFitted] = useState(1)
  /** Once somebody has zoomed, the picture stays as large while it changes. */
  const [chosen, setChosen] = useState<number>()
  const zoom = chosen ?? fitted
  const next = useRef<Point>(undefined)
  const room = () => ({
    width: (viewport.current?.clientWidth ?? graph.width) - 2,
    height: (viewport.current?.clientHeight ?? graph.height) - 2,
  })
  const { width, height } = graph
  useLayoutEffect(() => {
    setFitted(firstZoom({ width, height }, room()))
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the room is read from the page
  }, [width, height])
  useLayoutEffect(() => {
    const { current: to } = next
    next.current = undefined
    if (to !== undefined) viewport.current?.scrollTo(to.x, to.y)
  }, [viewport, zoom])
  const { x, y, width: wide = 0, height: high = 0 } = shown ?? {}
  const show = useSteady((place: typeof scrollShowing) => {
    const table = viewport.current
    if (table === null || x === undefined || y === undefined) return
    table.scrollTo(
      place(table.scrollLeft, table.clientWidth, x * zoom, wide * zoom),
      place(table.scrollTop, table.clientHeight, y * zoom, high * zoom),
    )
  })
  useEffect(() => show(scrollShowing), [show, x, y])
  // Where the first zoom is another one than it was drawn with, what was in sight is elsewhere.
  useEffect(() => show(scrollToMiddle), [show, fitted])
  const zoomTo = useSteady((wanted: number, at?: Point) => {
    const table = viewport.current
    if (table === null) return
    const after = limitZoom(wanted, graph, room())
    const { x: left, y: top } = at ?? { x: table.clientWidth / 2, y: table.clientHeight / 2 }
    next.current = {
      x: scrollKeeping(table.scrollLeft, left, zoom, after),
      y: scrollKeeping(table.scrollTop, top, zoom, after),
    }
    setChosen(after)
  })
  const onWheel = useSteady((event: WheelEvent) => {
    // Pinching a touchpad comes as the wheel with this key.
    if (!event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const { left = 0, top = 0 } = viewport.current?.getBoundingClientRect() ?? {}
    zoomTo(zoom * Math.exp(-event.deltaY / 500), { x: event.clientX - left, y: event.clientY - top })
  })
  useEffect(() => {
    const table = viewport.current
    // React would listen passively, and the browser enlarge the whole page.
    table?.addEventListener('wheel', onWheel, { passive: false })
    return () => table?.removeEventListener('wheel', onWheel)
  }, [onWheel, viewport])
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
