import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { serverTime } from '../../parts/time/now.ts'
import { breakable } from '../../parts/json/breakable.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { runStatuses } from '../../parts/states/states.tsx'
import { exactTime } from '../../parts/time/time-texts.ts'
import { When } from '../../parts/time/when.tsx'
import { useZone } from '../../parts/time/zone.ts'
import './results.css'
import { failureText, startsText } from './result-texts.ts'
import { useResults } from './use-results.ts'

interface CellProps {
  readonly name: string
}

/** What starts it. */
export function StartsCell({ name }: CellProps) {
  const results = useResults(name)
  if (results === undefined) return null
  return (
    <span className="data-table-text" title={showInvisible(startsText(results.on))}>
      {breakable(showInvisible(startsText(results.on)))}
    </span>
  )
}

/** How many alerts it took within a week and a month. */
export function AlertsCell({ name }: CellProps) {
  const zone = useZone()
  const results = useResults(name)
  if (results === undefined) return null
  const { alerts_7d: week, alerts_30d: month, since } = results
  const isWhole = serverTime() - since > 29 * 86_400_000
  return (
    <span className="number" title={isWhole ? undefined : `Counted since ${exactTime(since, zone)}`}>
      {week.toLocaleString()} / {month.toLocaleString()}
      {isWhole ? '' : '+'}
    </span>
  )
}

/** Its newest runs, the newest at the end. */
export function LastRunsCell({ name }: CellProps) {
  const zone = useZone()
  const results = useResults(name)
  if (results === undefined) return null
  return (
    <span className="result-marks">
      {results.last_runs.toReversed().map(({ run_uuid: uuid, status, created_at: at }) => {
        const { text, color } = runStatuses[status]
        return (
          <Link
            key={uuid}
            href={`/runs/${uuid}`}
            className={`result-mark state-${color}`}
            data-status={status}
            aria-label={`Run of ${exactTime(at, zone)}: ${text}`}
            title={`${text}, ${exactTime(at, zone)}`}
            tabIndex={-1}
          />
        )
      })}
    </span>
  )
}

/** How many of its newest runs failed. */
export function FailedCell({ name }: CellProps) {
  const results = useResults(name)
  if (results === undefined || results.judged === 0) return null
  const { failed, judged } = results
  const text = failureText(results)
  if (failed === 0) return <>{text}</>
  return (
    <Anchor
      component={Link}
      href={`/runs?playbook=${encodeURIComponent(name)}&status=failed`}
      inherit
      c="var(--mantine-color-error)"
      title={`${failed} of the last ${judged} finished runs`}
      tabIndex={-1}
    >
      {text}
    </Anchor>
  )
}

export function LastRunCell({ name }: CellProps) {
  return <When at={useResults(name)?.last_runs[0]?.created_at ?? null} />
}
