import { Anchor, Group, Table, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { Alert } from '../api/types.ts'
import { AlertStatus } from '../parts/states.tsx'
import { Time } from '../parts/times.tsx'

/** The newest alerts of a case. */
export function CaseAlerts({ id, alerts }: { readonly id: string; readonly alerts: readonly Alert[] }) {
  return (
    <>
      <Group gap="sm" align="baseline">
        <Title order={2} size="h4">
          Alerts
        </Title>
        <Anchor component={Link} href={`/alerts?case=${id}`} size="sm">
          all in the list
        </Anchor>
      </Group>
      <Table.ScrollContainer minWidth={500}>
        <Table aria-label="Alerts">
          <Table.Tbody>
            {alerts.map((alert) => (
              <Table.Tr key={alert.alert_uuid}>
                <Table.Td>
                  <Anchor component={Link} href={`/alerts/${alert.alert_id}`} size="sm" fw={600}>
                    {alert.alert_id.toUpperCase()}
                  </Anchor>
                </Table.Td>
                <Table.Td>{alert.alert_type}</Table.Td>
                <Table.Td>
                  <AlertStatus status={alert.investigation_status} />
                </Table.Td>
                <Table.Td>
                  <Time at={alert.created_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}
