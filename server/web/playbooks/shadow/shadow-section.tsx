import { Group, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ConfirmButton, ErrorAlert } from '../../parts/feedback.tsx'
import { PageLoading, Section, TextLink } from '../../parts/layout.tsx'
import { ShadowAlerts } from './shadow-alerts.tsx'
import { ShadowReportView } from './shadow-report.tsx'
import { usePromotion, useShadowReport, type ApiShadowReport } from './use-shadow.ts'

const spans = [
  { value: '1', label: 'the last day' },
  { value: '7', label: 'the last 7 days' },
  { value: '30', label: 'the last 30 days' },
  { value: '90', label: 'the last 90 days' },
]

interface ShadowSectionProps {
  readonly name: string
  readonly mayPromote: boolean
}

/** How the decisions of a playbook in shadow agree with the live ones, and its promotion. */
export function ShadowSection({ name, mayPromote }: ShadowSectionProps) {
  const [days, setDays] = useState('30')
  const { data: report, error } = useShadowReport(name, Number(days))
  return (
    <Section
      title="Shadow"
      actions={
        <Group gap="xs">
          <Select
            size="xs"
            aria-label="Period"
            data={spans}
            value={days}
            allowDeselect={false}
            onChange={(value) => value !== null && setDays(value)}
          />
          {mayPromote && report !== undefined && <PromoteButton report={report} />}
        </Group>
      }
    >
      <Stack gap="sm">
        {error !== null && <ErrorAlert error={error} />}
        {report === undefined ? (
          error === null && <PageLoading />
        ) : (
          <>
            <Summary report={report} />
            <ShadowReportView report={report} />
            <ShadowAlerts name={name} days={Number(days)} report={report} />
          </>
        )}
      </Stack>
    </Section>
  )
}

function Summary({ report }: { readonly report: ApiShadowReport }) {
  const { beside, alerts, agrees, differs, unjudged, waiting, other_versions: others } = report
  return (
    <div>
      <Text size="sm" c="dimmed">
        Judged on{' '}
        {beside === null ? (
          'all alerts that match its trigger'
        ) : (
          <>
            the alerts that <TextLink href={`/playbooks/${beside}`}>{beside}</TextLink> investigates
          </>
        )}
        . Reads are real; it writes nothing and asks nobody.
      </Text>
      <Text size="sm" role="status">
        {alerts === 0
          ? 'No alerts judged in this time.'
          : `${counted(alerts)}: ${agrees.toLocaleString()} agree, ${differs.toLocaleString()} ${differs === 1 ? 'differs' : 'differ'}, ${unjudged.toLocaleString()} not judged.`}
        {waiting > 0 && ` ${counted(waiting)} waiting.`}
        {others > 0 && ` ${counted(others)} judged with an earlier version: not counted.`}
        {report.truncated && ' Only the newest alerts are counted.'}
      </Text>
    </div>
  )
}

const counted = (alerts: number): string => `${alerts.toLocaleString()} ${alerts === 1 ? 'alert' : 'alerts'}`

function PromoteButton({ report }: { readonly report: ApiShadowReport }) {
  const [, navigate] = useLocation()
  const promotion = usePromotion(report, (name) => navigate(`/playbooks/${name}`))
  const { playbook, beside, alerts, agrees, differs, unjudged } = report
  return (
    <ConfirmButton
      text="Promote"
      look={{ variant: 'filled' }}
      title={beside === null ? `Make ${playbook} live?` : `Replace ${beside} by ${playbook}?`}
      action="Promote"
      mutation={promotion}
    >
      <Text size="sm">
        {beside === null
          ? 'It starts for new alerts and acts on them.'
          : `New alerts are investigated with this version under the name ${beside}, and the file of ${playbook} is deleted. Active runs keep their version.`}
      </Text>
      <Text size="sm" mt="xs">
        The audit log keeps the report: {counted(alerts)}, {agrees.toLocaleString()} agree,{' '}
        {differs.toLocaleString()} {differs === 1 ? 'differs' : 'differ'}, {unjudged.toLocaleString()} not
        judged.
      </Text>
    </ConfirmButton>
  )
}
