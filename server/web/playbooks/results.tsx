import type { RunStatus } from '../../../core/domain/run.ts'
import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useQuery } from '@tanstack/react-query'
import { serverTime, zonedTime, useZone } from '../parts/time.ts'
import { breakable } from '../parts/text-view.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { runStatusLooks } from '../parts/states.tsx'
import { DateTime } from '../parts/times.tsx'
import './playbooks.css'
import { failureRate, resultText, triggerText } from './playbook.ts'
import type { ApiPlaybookResults } from '../api/types.ts'
import { apiGet } from '../api/call.ts'

interface CellProps {
  readonly name: string
}

/** Triggers. */
export function StartsCell({ name }: CellProps) {
  const results = useResults(name)
  if (results === undefined) return null
  return (
    <span className="data-table-text" title={showInvisible(triggerText(results.on))}>
      {breakable(showInvisible(triggerText(results.on)))}
    </span>
  )
}

/** Alerts in 7 and 30 days. */
export function AlertsCell({ name }: CellProps) {
  const zone = useZone()
  const results = useResults(name)
  if (results === undefined) return null
  const { alerts_7d: week, alerts_30d: month, repeats_7d: repeats, since } = results
  const isWhole = serverTime() - since > 29 * 86_400_000
  return (
    <span className="number" title={isWhole ? undefined : `Counted since ${zonedTime(since, zone)}`}>
      {week.toLocaleString()} / {month.toLocaleString()}
      {isWhole ? '' : '+'}
      {repeats > 0 && <span className="result-repeats">{repeatsText(repeats)} in 7 days</span>}
    </span>
  )
}

const repeatsText = (count: number): string =>
  `${count.toLocaleString()}${count >= 10_000 ? '+' : ''} ${count === 1 ? 'repeat' : 'repeats'}`

/** Newest runs, newest last. */
export function LastRunsCell({ name }: CellProps) {
  const zone = useZone()
  const results = useResults(name)
  if (results === undefined) return null
  return (
    <span className="result-marks">
      {results.last_runs.toReversed().map(({ run_uuid: uuid, status, created_at: at }) => {
        const { text, color } = runStatusLooks[status as RunStatus]
        return (
          <Link
            key={uuid}
            href={`/runs/${uuid}`}
            className={`result-mark state-${color}`}
            data-status={status}
            aria-label={`Run of ${zonedTime(at, zone)}: ${text}`}
            title={`${text}, ${zonedTime(at, zone)}`}
            tabIndex={-1}
          />
        )
      })}
    </span>
  )
}

/** Failure rate of the newest runs. */
export function FailedCell({ name }: CellProps) {
  const results = useResults(name)
  if (results === undefined || results.judged === 0) return null
  const { failed, judged } = results
  const text = failureRate(results)
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

/** Triggers and last results on one line. */
export function ResultsLine({ name }: { readonly name: string }) {
  const results = useResults(name)
  const zone = useZone()
  if (results === undefined) return <>&nbsp;</>
  const { on, alerts_7d: week, repeats_7d: repeats, judged } = results
  return (
    <Group gap="4px 16px">
      <span>Triggered by {showInvisible(triggerText(on))}</span>
      {on !== null && on.next_runs.length > 0 && (
        <Text span size="sm" title={on.next_runs.map((at) => zonedTime(at, zone)).join('\n')}>
          Next run: <DateTime at={on.next_runs[0]!} />
        </Text>
      )}
      <span>
        {week.toLocaleString()} {week === 1 ? 'alert' : 'alerts'}
        {repeats > 0 && ` and ${repeatsText(repeats)}`} in 7 days
      </span>
      {judged > 0 && (
        <Group gap={8} component="span">
          <LastRunsCell name={name} />
          <Text span size="sm">
            {resultText(results)}
          </Text>
        </Group>
      )}
    </Group>
  )
}

const freshMs = 30_000

/** Alerts and results of a playbook, reloaded regularly. */
function useResults(name: string): ApiPlaybookResults | undefined {
  return useQuery({
    queryKey: ['results of playbook', name],
    queryFn: ({ signal }) =>
      apiGet<ApiPlaybookResults>(`/playbooks/${encodeURIComponent(name)}/results`, undefined, signal),
    staleTime: freshMs,
    refetchInterval: freshMs,
  }).data
}
