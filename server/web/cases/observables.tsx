import { Anchor, Badge, Table, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { Learned, Observable } from '../api/types.ts'
import { showInvisible } from '../parts/show-invisible.ts'

/** The values that were found in the alerts, and what other systems know about them. */
export function Observables({ observables }: { readonly observables: readonly Observable[] }) {
  return (
    <>
      <Title order={2} size="h4">
        Observables
      </Title>
      {observables.length === 0 ? (
        <Text size="sm" c="dimmed">
          None were found.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={500} mah={480}>
          <Table verticalSpacing={6} aria-label="Observables">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Kind</Table.Th>
                <Table.Th>Value</Table.Th>
                <Table.Th>What was learned</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {observables.map(({ kind, value, learned }) => (
                <Table.Tr key={`${kind} ${value}`}>
                  <Table.Td>{kind}</Table.Td>
                  <Table.Td className="outside-text" ff="monospace">
                    {showInvisible(value)}
                  </Table.Td>
                  <Table.Td>
                    {learned.map((each) => (
                      <LearnedLine key={`${each.run_uuid} ${each.path}`} learned={each} />
                    ))}
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

function LearnedLine({
  learned: { source, run_uuid: run, path, score, level, summary, error },
}: {
  readonly learned: Learned
}) {
  const color = score === null ? 'gray' : score >= 65 ? 'red' : score >= 25 ? 'orange' : 'green'
  const said = error ?? summary ?? level
  return (
    <div>
      {score !== null && (
        <Badge size="sm" variant="light" color={color} tt="none" radius="sm" mr={6}>
          {score}
        </Badge>
      )}
      {said !== null && (
        <Text component="span" size="sm" className="outside-text" {...(error !== null && { c: 'red' })}>
          {showInvisible(said)}{' '}
        </Text>
      )}
      <Anchor
        component={Link}
        href={`/runs/${run}?${new URLSearchParams({ step: path }).toString()}`}
        size="xs"
      >
        {source}
      </Anchor>
    </div>
  )
}
