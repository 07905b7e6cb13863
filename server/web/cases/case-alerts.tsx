import { Anchor, Table, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Alert } from '../api/types.ts'
import { Empty } from '../parts/states/empty.tsx'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { AlertStatus } from '../parts/states/states.tsx'
import { Time } from '../parts/time/times.tsx'
import { lossText } from './loss-text.ts'

interface CaseAlertsProps {
  readonly id: string
  readonly alerts: readonly Alert[]
  /** How many are kept no longer. */
  readonly deleted: number
}

/** The newest alerts of a case; of those that repeat another, why they were put together. */
export function CaseAlerts({ id, alerts, deleted }: CaseAlertsProps) {
  const loss = lossText(deleted, 'alert')
  return (
    <Section
      title="Alerts"
      isFlush
      actions={
        <Anchor component={Link} href={`/alerts?case=${id}`} size="sm">
          View all
        </Anchor>
      }
    >
      {alerts.length === 0 && <Empty>{loss ?? 'No alerts: the run was started manually'}</Empty>}
      {alerts.length > 0 && (
        <Table.ScrollContainer minWidth={460} mah={420}>
          <Table verticalSpacing={8} aria-label="Alerts">
            <Table.Tbody>
              {alerts.map((alert) => (
                <Table.Tr key={alert.alert_uuid}>
                  <Table.Td>
                    <Anchor component={Link} href={`/alerts/${alert.alert_id}`} size="sm" fw={600}>
                      {alert.alert_id.toUpperCase()}
                    </Anchor>{' '}
                    <Text component="span" size="sm" className="outside-text">
                      {showInvisible(alert.alert_type ?? '')}
                    </Text>
                    {alert.grouped_with !== null && (
                      <Text size="xs" c="dimmed" className="outside-text">
                        Repeats {alert.grouped_with.toUpperCase()}:{' '}
                        {showInvisible(alert.grouped_because ?? '')}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td w="1%">
                    <AlertStatus status={alert.investigation_status} />
                  </Table.Td>
                  <Table.Td w="1%" style={{ whiteSpace: 'nowrap' }}>
                    <Time at={alert.created_at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {alerts.length > 0 && loss !== null && (
        <Text size="sm" c="dimmed" px="md" py="xs">
          {loss}
        </Text>
      )}
    </Section>
  )
}
