import { Alert, Badge, Group, List, Stack, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { TextLink } from '../../parts/layout.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import { ComparedRunsView } from './compared-runs.tsx'
import type { ApiBacktest, ApiBacktestRow } from './use-backtest.ts'
import '../playbooks.css'

/** Alerts by what changed, and those that could not be judged. */
export function BacktestResult({ backtest }: { readonly backtest: ApiBacktest }) {
  const { groups, reasons, backtest_id: id } = backtest
  const rows = backtest.rows ?? []
  const others = rows.filter(({ other_version: other }) => other).length
  const assumed = rows.filter((row) => row.assumed.length > 0).length
  return (
    <Stack gap="sm">
      {others > 0 && (
        <Text size="sm" c="dimmed">
          {others.toLocaleString()} recorded with another version: compared with a replay of the live one.
        </Text>
      )}
      {assumed > 0 && (
        <Alert color="orange" variant="light" title="Replies that were not recorded">
          <Text size="sm">
            {assumed.toLocaleString()} alerts were judged with assumed replies. Open one to see them.
          </Text>
        </Alert>
      )}
      {groups.map(({ changes, alerts }, at) => (
        <section key={at} aria-label={changes.map(({ text }) => text).join(', ')}>
          <Group gap="xs" mb={4}>
            <Badge variant="light">
              {alerts.toLocaleString()} {alerts === 1 ? 'alert' : 'alerts'}
            </Badge>
            {changes.map(({ text }) => (
              <Text key={text} size="sm" fw={600} className="outside-text">
                {showInvisible(text)}
              </Text>
            ))}
          </Group>
          <GroupRows backtest={id} rows={rows.filter(({ group }) => group === at)} />
        </section>
      ))}
      {reasons.length > 0 && (
        <Alert color="gray" variant="light" title="Not judged">
          <List size="sm">
            {reasons.map(({ code, message, alerts }) => (
              <List.Item key={code} className="outside-text">
                {alerts} × {showInvisible(message)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}

/** More rows would slow the page down. */
const firstRows = 20

function GroupRows({
  backtest,
  rows,
}: {
  readonly backtest: string
  readonly rows: readonly ApiBacktestRow[]
}) {
  const [shown, setShown] = useState(firstRows)
  return (
    <div>
      {rows.slice(0, shown).map((row) => (
        <AlertRow key={row.run_uuid} backtest={backtest} row={row} />
      ))}
      {rows.length > shown && (
        <UnstyledButton className="problem-row" onClick={() => setShown(shown + 100)}>
          <Text size="sm">{(rows.length - shown).toLocaleString()} more</Text>
        </UnstyledButton>
      )}
    </div>
  )
}

/** Opens both runs side by side. */
function AlertRow({ backtest, row }: { readonly backtest: string; readonly row: ApiBacktestRow }) {
  const [isOpen, setOpen] = useState(false)
  const { alert_id: id, run_uuid: run, assumed } = row
  return (
    <div>
      <Group gap="xs">
        <UnstyledButton
          className="problem-row"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          w="auto"
        >
          <Text size="sm">{id.toUpperCase()}</Text>
        </UnstyledButton>
        <TextLink href={`/alerts/${id}`}>Alert</TextLink>
        <TextLink href={`/runs/${run}`}>Recorded run</TextLink>
      </Group>
      {isOpen && assumed.length > 0 && (
        <Text size="sm" c="dimmed" className="outside-text">
          Assumed: {showInvisible(assumed.join('; '))}
        </Text>
      )}
      {isOpen && <ComparedRunsView backtest={backtest} run={run} row={row} />}
    </div>
  )
}
