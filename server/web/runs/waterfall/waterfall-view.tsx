import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type KeyboardEvent } from 'react'
import type { Step } from '../../api/types.ts'
import { durationText } from '../../parts/time/duration-text.ts'
import { useNow } from '../../parts/time/now.ts'
import { timeScale, type TimeScale } from './time-scale.ts'
import { WaterfallRowView } from './waterfall-row.tsx'
import './waterfall.css'
import { isBusy, waterfallOf } from './waterfall.ts'

interface WaterfallViewProps {
  readonly steps: readonly Step[]
  readonly isLive: boolean
  readonly selected: string | undefined
  readonly onSelect: (path: string) => void
}

const rowHeight = 34

/** When each step was tried and what it waited for, below each other on one line of time; only the rows in sight are in the page. */
export function WaterfallView({ steps, isLive, selected, onSelect }: WaterfallViewProps) {
  const now = useNow(isLive)
  const { from, to, rows } = useMemo(() => waterfallOf(steps, now), [steps, now])
  const scale = useMemo(() => timeScale({ from, to }, rows.flatMap(busyOf)), [from, to, rows])
  const viewport = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  const at = rows.findIndex(({ step }) => step.path === selected)
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
    // Not while rows are added: only what is chosen is brought into sight.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected])
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number): void => {
    const move = { ArrowDown: index + 1, ArrowUp: index - 1 }[event.key]
    const row = move === undefined ? undefined : rows[move]
    if (move === undefined || row === undefined) return
    event.preventDefault()
    onSelect(row.step.path)
    virtual.scrollToIndex(move, { align: 'auto' })
    requestAnimationFrame(() =>
      viewport.current?.querySelector<HTMLElement>(`[data-index="${move}"]`)?.focus({ preventScroll: true }),
    )
  }
  return (
    <div ref={viewport} className="waterfall" role="group" aria-label="Timeline">
      <Ruler scale={scale} ms={to - from} steps={rows.length} />
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <WaterfallRowView
              key={row.step.path}
              row={row}
              scale={scale}
              index={index}
              start={start}
              isSelected={index === at}
              isStop={index === Math.max(0, at)}
              onSelect={onSelect}
              onKeyDown={onKeyDown}
            />
          )
        })}
      </div>
    </div>
  )
}

const busyOf = ({ step, stretches }: ReturnType<typeof waterfallOf>['rows'][number]) =>
  stretches.filter((stretch) => isBusy(step, stretch))

interface RulerProps {
  readonly scale: TimeScale
  readonly ms: number
  readonly steps: number
}

/** How long all took, and where time is drawn shorter than it was. */
function Ruler({ scale, ms, steps }: RulerProps) {
  return (
    <div className="waterfall-ruler">
      <span>{steps.toLocaleString()} steps</span>
      <span className="waterfall-lane">
        {scale.cuts.map((cut) => (
          <span
            key={cut.from}
            className="waterfall-cut"
            style={{ left: `${100 * cut.from}%`, width: `${100 * (cut.to - cut.from)}%` }}
            title={`No activity for ${durationText(cut.ms)} (not to scale)`}
          >
            {durationText(cut.ms)}
          </span>
        ))}
      </span>
      <span className="waterfall-took">{durationText(ms)}</span>
    </div>
  )
}
