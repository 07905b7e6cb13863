import { Group, Text, UnstyledButton } from '@mantine/core'
import type { Step } from '../api/types.ts'
import { durationText } from '../parts/duration-text.ts'
import { useNow } from '../parts/now.ts'
import { showInvisible } from '../parts/show-invisible.ts'
import { StepStateBadge } from '../parts/states.tsx'
import './waterfall.css'
import { waterfallOf } from './waterfall.ts'

interface WaterfallViewProps {
  readonly steps: readonly Step[]
  readonly isLive: boolean
  readonly selected: string | undefined
  readonly onSelect: (path: string) => void
}

/** More rows make the page slow; they are shown a part at a time. */
const maxRows = 500

/** When each step was tried and what it waited for, below each other on one line of time. */
export function WaterfallView({ steps, isLive, selected, onSelect }: WaterfallViewProps) {
  const now = useNow(isLive)
  const { from, to, rows } = waterfallOf(steps, now)
  const percent = (ms: number): string => `${(100 * ms) / (to - from)}%`
  return (
    <div className="waterfall">
      {rows.slice(0, maxRows).map(({ step, stretches }) => (
        <UnstyledButton
          key={step.path}
          className="waterfall-row"
          aria-pressed={step.path === selected}
          onClick={() => onSelect(step.path)}
        >
          <Group gap="xs" wrap="nowrap" className="waterfall-name">
            <StepStateBadge state={step.state} />
            <Text size="sm" truncate title={step.path}>
              {showInvisible(lastParts(step.path))}
            </Text>
            <Text size="xs" c="dimmed" truncate visibleFrom="lg">
              {step.kind}
            </Text>
          </Group>
          <span className="waterfall-lane">
            {stretches.map((stretch, index) => (
              <span
                key={index}
                className="waterfall-bar"
                data-kind={stretch.kind}
                style={{ left: percent(stretch.from - from), width: percent(stretch.to - stretch.from) }}
              />
            ))}
          </span>
          <Text size="xs" c="dimmed" className="waterfall-took">
            {durationText((stretches.at(-1)?.to ?? from) - (stretches[0]?.from ?? from))}
            {step.failed_attempts.length > 0 && ` · ${step.failed_attempts.length + 1} tries`}
          </Text>
        </UnstyledButton>
      ))}
      {rows.length > maxRows && (
        <Text size="sm" c="dimmed" p="xs">
          {rows.length - maxRows} more steps are in the API: GET /runs.
        </Text>
      )}
    </div>
  )
}

/** Of a long path what tells most: the step and what is around it. */
function lastParts(path: string): string {
  const parts = path.split('/')
  return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path
}
