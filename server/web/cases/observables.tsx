import { Anchor, Button, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Observable, ObservableUse } from '../api/types.ts'
import { breakable } from '../parts/json/breakable.tsx'
import { Copy } from '../parts/copy.tsx'
import { Empty } from '../parts/states/empty.tsx'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { Time } from '../parts/time/times.tsx'
import { LearnedLine } from './learned-line.tsx'

/** The worst come first; more are a click away. */
const shownAtFirst = 12

/** The values that were found in the alerts, and what other systems know about them. */
export function Observables({ observables }: { readonly observables: readonly Observable[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? observables : observables.slice(0, shownAtFirst)
  return (
    <Section title="Observables" count={observables.length} isFlush>
      {observables.length === 0 && <Empty>No observables extracted.</Empty>}
      {shown.length > 0 && (
        <Table.ScrollContainer minWidth={460}>
          <Table className="observables" verticalSpacing={8} aria-label="Observables">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w="1%">Kind</Table.Th>
                <Table.Th w="34%">Value</Table.Th>
                <Table.Th>Findings</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map(({ kind, value, learned, used }) => (
                <Table.Tr key={`${kind} ${value}`}>
                  <Table.Td c="dimmed">{kind}</Table.Td>
                  <Table.Td>
                    <Text component="span" size="sm" ff="monospace" className="outside-text">
                      {breakable(showInvisible(value))}
                    </Text>{' '}
                    <Copy value={value} label={`Copy ${kind}`} />
                  </Table.Td>
                  <Table.Td>
                    {learned.length === 0 && used.length === 0 && (
                      <Text size="sm" c="dimmed">
                        Not looked up
                      </Text>
                    )}
                    {learned.map((each) => (
                      <LearnedLine key={`${each.run_uuid} ${each.path}`} learned={each} />
                    ))}
                    <Uses used={used} />
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

/** Shown of each observable. */
const usesAtMost = 5

/** Steps that were given the value besides, such as a question to the user. */
function Uses({ used }: { readonly used: readonly ObservableUse[] }) {
  const hidden = used.length - usesAtMost
  return (
    <>
      {used
        .slice(0, usesAtMost)
        .map(({ source, run_uuid: run, path, at, state, is_question: isQuestion }) => (
          <Text key={`${run} ${path}`} size="sm">
            {isQuestion ? 'Asked via' : 'Used in'}{' '}
            <Anchor
              component={Link}
              href={`/runs/${run}?${new URLSearchParams({ step: path }).toString()}`}
              size="sm"
            >
              {source}
            </Anchor>
            {state === 'failed' && ' (failed)'}
            {state === 'unknown' && ' (outcome unknown)'}
            {state === 'started' && ' (under way)'}
            <Text component="span" size="xs" c="dimmed">
              {' '}
              <Time at={at} ago />
            </Text>
          </Text>
        ))}
      {hidden > 0 && (
        <Text size="xs" c="dimmed">
          {hidden} more
        </Text>
      )}
    </>
  )
}
