import { Anchor, Table, Text } from '@mantine/core'
import { PlayIcon } from '@radix-ui/react-icons'
import { Link } from 'wouter'
import type { Run } from '../../api/types.ts'
import { Empty } from '../../parts/states/empty.tsx'
import { Section } from '../../parts/section.tsx'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { RunState } from '../../parts/states/states.tsx'
import { durationText } from '../../parts/time/duration-text.ts'
import { Time } from '../../parts/time/times.tsx'

interface RunListProps {
  readonly runs: readonly Run[]
  /** That there were more, which are kept no longer. */
  readonly loss?: string | null
}

/** Runs about something, newest first. */
export function RunList({ runs, loss = null }: RunListProps) {
  return (
    <Section title="Runs" count={runs.length} isFlush>
      {runs.length === 0 ? (
        <Empty icon={PlayIcon}>{loss ?? 'No runs'}</Empty>
      ) : (
        <Table.ScrollContainer minWidth={460}>
          <Table verticalSpacing={8} aria-label="Runs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Playbook</Table.Th>
                <Table.Th>Status</Table.Th>
                <Table.Th>Started</Table.Th>
                <Table.Th className="number">Duration</Table.Th>
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
                  <Table.Td className="number">
                    {run.started_at !== null &&
                      run.ended_at !== null &&
                      durationText(run.ended_at - run.started_at)}
                  </Table.Td>
                  <Table.Td className="outside-text">
                    {run.retried_by !== null && (
                      <Anchor component={Link} href={`/runs/${run.retried_by}`} size="sm" underline="always">
                        Retried
                      </Anchor>
                    )}
                    {run.retried_by !== null && run.error !== null && ': '}
                    {run.error !== null && showInvisible(run.error.message)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {runs.length > 0 && loss !== null && (
        <Text size="sm" c="dimmed" px="md" py="xs">
          {loss}
        </Text>
      )}
    </Section>
  )
}
