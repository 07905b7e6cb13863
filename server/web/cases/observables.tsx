import { Button, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { Observable } from '../api/types.ts'
import { breakable } from '../parts/json/breakable.tsx'
import { Copy } from '../parts/copy.tsx'
import { Empty } from '../parts/states/empty.tsx'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { LearnedLine } from './learned-line.tsx'

/** The worst come first; more are a click away. */
const shownAtFirst = 12

/** The values that were found in the alerts, and what other systems know about them. */
export function Observables({ observables }: { readonly observables: readonly Observable[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? observables : observables.slice(0, shownAtFirst)
  return (
    <Section title="Observables" count={observables.length} isFlush>
      {observables.length === 0 && <Empty>No address, user, host or file was found in the alerts.</Empty>}
      {shown.length > 0 && (
        <Table.ScrollContainer minWidth={460}>
          <Table className="observables" verticalSpacing={8} aria-label="Observables">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w="1%">Kind</Table.Th>
                <Table.Th w="34%">Value</Table.Th>
                <Table.Th>What was learned</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map(({ kind, value, learned }) => (
                <Table.Tr key={`${kind} ${value}`}>
                  <Table.Td c="dimmed">{kind}</Table.Td>
                  <Table.Td>
                    <Text component="span" size="sm" ff="monospace" className="outside-text">
                      {breakable(showInvisible(value))}
                    </Text>{' '}
                    <Copy value={value} label={`Copy ${kind}`} />
                  </Table.Td>
                  <Table.Td>
                    {learned.length === 0 && (
                      <Text size="sm" c="dimmed">
                        Nobody was asked.
                      </Text>
                    )}
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
      {shown.length < observables.length && (
        <Button m="sm" size="xs" variant="default" onClick={() => setWhole(true)}>
          Show all {observables.length}
        </Button>
      )}
    </Section>
  )
}
