import type { KeyboardEvent } from 'react'
import { durationText } from '../../parts/time/duration-text.ts'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { StepStateBadge } from '../../parts/states/states.tsx'
import type { TimeScale } from './time-scale.ts'
import { rowTexts } from '../list/row-texts.ts'
import type { WaterfallRow } from './waterfall.ts'

interface WaterfallRowViewProps {
  readonly row: WaterfallRow
  readonly scale: TimeScale
  readonly index: number
  /** Pixels from the top. */
  readonly start: number
  readonly isSelected: boolean
  /** It is where the tabulator leads. */
  readonly isStop: boolean
  readonly onSelect: (path: string) => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>, index: number) => void
}

/** One step: its state, its name, and when it was tried. */
export function WaterfallRowView(props: WaterfallRowViewProps) {
  const { row, scale, index, start, isSelected, isStop, onSelect, onKeyDown } = props
  const { step, stretches } = row
  const { name, about } = rowTexts(step)
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
