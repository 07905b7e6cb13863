import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type KeyboardEvent } from 'react'
import type { ApiStep } from '../api/types.ts'
import { durationText, useNow } from '../parts/time.ts'
import { timeScale, type TimeScale, isBusy, waterfallOf, type WaterfallRow } from './waterfall.ts'
import './waterfall.css'
import { showInvisible } from '../parts/outside-text.ts'
import { StepStateBadge } from '../parts/states.tsx'
import { peopleOf, rowTexts, type StepNames } from './run-steps.ts'

interface WaterfallViewProps {
  readonly steps: readonly ApiStep[]
  readonly names: StepNames
  readonly isLive: boolean
  readonly selected: string | undefined
  readonly onSelect: (path: string) => void
}

const rowHeight = 34

/** A timeline of all attempts. Only visible rows are in the document. */
export function WaterfallView({ steps, names, isLive, selected, onSelect }: WaterfallViewProps) {
  const now = useNow(isLive)
  const { from, to, rows } = useMemo(() => waterfallOf(steps, now), [steps, now])
  const scale = useMemo(() => timeScale({ from, to }, rows.flatMap(busyOf)), [from, to, rows])
  const people = useMemo(() => peopleOf(steps), [steps])
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
    // Scroll to a new selection, but not when rows are added.
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
              names={names}
              person={people.get(row.step.path)}
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

/** The total duration, and the gaps that are not to scale. */
function Ruler({ scale, ms, steps }: RulerProps) {
  return (
    <div className="waterfall-ruler">
      <span>
        {steps.toLocaleString()} {steps === 1 ? 'step' : 'steps'}
      </span>
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

interface WaterfallRowViewProps {
  readonly row: WaterfallRow
  /** Whom the step asks, if it asks several people. */
  readonly person: string | undefined
  readonly names: StepNames
  readonly scale: TimeScale
  readonly index: number
  /** Pixels from the top. */
  readonly start: number
  readonly isSelected: boolean
  /** Tab moves the focus to this row. */
  readonly isStop: boolean
  readonly onSelect: (path: string) => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>, index: number) => void
}

/** One step with its attempts. */
function WaterfallRowView(props: WaterfallRowViewProps) {
  const { row, person, names, scale, index, start, isSelected, isStop, onSelect, onKeyDown } = props
  const { step, stretches } = row
  const { name, about } = rowTexts(step, person, names)
  const [first, last] = [stretches[0]?.from ?? 0, stretches.at(-1)?.to ?? 0]
  return (
    <button
      type="button"
      className="waterfall-row"
      style={{ transform: `translateY(${start}px)` }}
      data-index={index}
      tabIndex={isStop ? 0 : -1}
      aria-pressed={isSelected}
      onClick={() => onSelect(step.path)}
      onKeyDown={(event) => onKeyDown(event, index)}
    >
      <span className="waterfall-name">
        <StepStateBadge step={step} />
        <span className="waterfall-path" title={step.path}>
          {showInvisible(name)}
        </span>
        <span className="waterfall-kind">{showInvisible(about)}</span>
      </span>
      <span className="waterfall-lane">
        {stretches.map(({ kind, from, to }, place) => (
          <span
            key={place}
            className="waterfall-bar"
            data-kind={kind === 'started' && step.kind === 'checkpoint' ? 'asking' : kind}
            style={{ left: `${100 * scale.at(from)}%`, width: `${100 * (scale.at(to) - scale.at(from))}%` }}
          />
        ))}
      </span>
      <span className="waterfall-took">
        {durationText(last - first)}
        {step.failed_attempts.length > 0 && ` · ${step.failed_attempts.length + 1} attempts`}
      </span>
    </button>
  )
}
