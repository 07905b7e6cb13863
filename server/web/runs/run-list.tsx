import { Anchor, Table, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { Run } from '../api/types.ts'
import { showInvisible } from '../parts/show-invisible.ts'
import { RunState } from '../parts/states.tsx'
import { durationText } from '../parts/duration-text.ts'
import { Time } from '../parts/times.tsx'

/** Runs about something, newest first. */
export function RunList({ runs }: { readonly runs: readonly Run[] }) {
  return (
    <>
      <Title order={2} size="h4">
        Runs
      </Title>
      {runs.length === 0 ? (
        <Text c="dimmed" size="sm">
          No playbook has run.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={600}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Playbook</Table.Th>
                <Table.Th>Status</Table.Th>
                <Table.Th>Started</Table.Th>
                <Table.Th>Took</Table.Th>
                <Table.Th>Error</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {runs.map((run) => (
                <Table.Tr key={run.run_uuid}>
                  <Table.Td>
                    <Anchor component={Link} href={`/runs/${run.run_uuid}`} size="sm" fw={600}>
                      {run.playbook}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <RunState status={run.status} />
                  </Table.Td>
                  <Table.Td>
                    <Time at={run.started_at} />
                  </Table.Td>
                  <Table.Td>
                    {run.started_at !== null &&
                      run.ended_at !== null &&
                      durationText(run.ended_at - run.started_at)}
                  </Table.Td>
                  <Table.Td className="outside-text">
                    {run.error !== null && showInvisible(run.error.message)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  )
}
