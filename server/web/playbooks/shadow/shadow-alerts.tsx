import { Badge, Group, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { ShadowOutcome } from '../../../../core/shadow/shadow-result.ts'
import { ErrorAlert, ShowMore } from '../../parts/feedback.tsx'
import { PageLoading, TextLink } from '../../parts/layout.tsx'
import { showInvisible } from '../../parts/outside-text.ts'
import { DateTime } from '../../parts/times.tsx'
import { ComparedSides } from '../backtest/compared-runs.tsx'
import {
  useShadowAlert,
  useShadowAlerts,
  type ApiShadowAlert,
  type ApiShadowReport,
  type ApiShadowRow,
} from './use-shadow.ts'
import '../playbooks.css'

interface ShadowAlertsProps {
  readonly name: string
  readonly days: number
  readonly report: ApiShadowReport
}

/** The alerts behind the numbers of a report. */
export function ShadowAlerts({ name, days, report }: ShadowAlertsProps) {
  const [outcome, setOutcome] = useState<ShadowOutcome>('differs')
  const alerts = useShadowAlerts(name, days, outcome, report.alerts)
  const rows = alerts.data?.pages.flatMap(({ data }) => data) ?? []
  const total = alerts.data?.pages[0]?.total ?? 0
  if (report.alerts === 0) return null
  return (
    <Stack gap="xs">
      <Group>
        <SegmentedControl
          size="xs"
          aria-label="Alerts"
          value={outcome}
          onChange={setOutcome}
          data={[
            { value: 'differs', label: 'Differ' },
            { value: 'agrees', label: 'Agree' },
            { value: 'unjudged', label: 'Not judged' },
          ]}
        />
      </Group>
      {alerts.isLoadingError && <ErrorAlert error={alerts.error} />}
      {alerts.data !== undefined && rows.length === 0 && (
        <Text size="sm" c="dimmed">
          None in this time.
        </Text>
      )}
      {rows.map((row) => (
        <AlertRow key={row.alert_id} name={name} row={row} />
      ))}
      <ShowMore hidden={total - rows.length} query={alerts} />
    </Stack>
  )
}

/** Opens both decisions side by side. */
function AlertRow({ name, row }: { readonly name: string; readonly row: ApiShadowRow }) {
  const [isOpen, setOpen] = useState(false)
  const { alert_id: id, run_uuid: run, case_id: caseId, ended_at: at, changes, reason, analysts } = row
  return (
    <section aria-label={id.toUpperCase()}>
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
        <TextLink href={`/runs/${run}`}>Live run</TextLink>
        {caseId !== null && <TextLink href={`/cases/${caseId}`}>Case</TextLink>}
        <Text size="sm" c="dimmed">
          <DateTime at={at} />
        </Text>
        {analysts !== null && analysts.verdict !== null && (
          <Badge variant="light">analysts: {analysts.verdict}</Badge>
        )}
      </Group>
      {[...changes.map(({ text }) => text), ...(reason === null ? [] : [reason.message])].map((text) => (
        <Text key={text} size="sm" className="outside-text" pl="xs">
          {showInvisible(text)}
        </Text>
      ))}
      {isOpen && <Opened name={name} row={row} />}
    </section>
  )
}

function Opened({ name, row }: { readonly name: string; readonly row: ApiShadowRow }) {
  const { data, error } = useShadowAlert(name, row.alert_id, row.judged_at)
  if (error !== null) return <ErrorAlert error={error} />
  if (data === undefined) return <PageLoading />
  return (
    <Stack gap="xs" pt="xs">
      <WouldDo alert={data} />
      {data.assumed.length > 0 && (
        <Text size="sm" c="dimmed" className="outside-text">
          Not recorded: {showInvisible(data.assumed.join('; '))}
        </Text>
      )}
      <ComparedSides
        before={{ title: 'Live', side: data.before, decision: data.live }}
        after={{ title: 'Shadow', side: data.after, decision: data.shadow }}
      />
    </Stack>
  )
}

/** The actions and questions of the shadow, which did not happen. */
function WouldDo({ alert }: { readonly alert: ApiShadowAlert }) {
  const { shadow_decision: decision } = alert
  if (decision === null) return null
  const lines = [
    ...decision.actions.map(({ path, skill, input }) => [path, `would have called ${skill}`, input] as const),
    ...decision.questions.map(
      ({ path, via, input }) => [path, `would have asked over ${via}`, input] as const,
    ),
  ]
  return (
    <div>
      {lines.map(([path, text, input]) => (
        <Text key={path} size="sm" className="outside-text">
          {text}: {showInvisible(JSON.stringify(input).slice(0, 500))}
        </Text>
      ))}
    </div>
  )
}
