import { Button, Checkbox, Code, Group, ScrollArea, Table, Text } from '@mantine/core'
import { actorText, showInvisible } from '../parts/outside-text.ts'
import { OutsideText } from '../parts/text-view.tsx'
import { DateTime } from '../parts/times.tsx'
import type { ApiCheckpoint } from '../api/types.ts'
import { approvalTexts, itemsOf, itemText } from './approval.ts'

/** Who must approve, who has, and what exactly. */
export function ApprovalDetails({ checkpoint }: { readonly checkpoint: ApiCheckpoint }) {
  const { approval } = checkpoint
  if (approval === null) return null
  return (
    <>
      {approvalTexts(approval).map((text) => (
        <OutsideText key={text} size="sm" text={text} />
      ))}
      {approval.escalation !== null && checkpoint.state === 'waiting' && (
        <Text size="sm">
          Escalates <DateTime at={approval.escalation.at} ago />
        </Text>
      )}
      {approval.approved.map(({ actor, at, refused_items: refused }) => (
        <Text key={actor.id} size="sm" className="outside-text">
          Approved by {showInvisible(actorText(actor))} <DateTime at={at} ago />
          {refused.length > 0 && `, except ${refused.length}`}
        </Text>
      ))}
      <Text size="xs" c="dimmed">
        Approves exactly this input{' '}
        <Code title={approval.input_hash}>{approval.input_hash.slice(0, 12)}</Code>
        {approval.connection !== null && ` over the connection ${showInvisible(approval.connection)}`}
      </Text>
    </>
  )
}

interface ItemTableProps {
  readonly checkpoint: ApiCheckpoint
  /** Places of the items that are not selected. */
  readonly refused: ReadonlySet<number>
  /** Undefined: nothing can be selected. */
  readonly onChange?: ((refused: ReadonlySet<number>) => void) | undefined
}

/** The actions of an approval, each of which can be refused. */
export function ItemTable({ checkpoint, refused, onChange }: ItemTableProps) {
  const items = itemsOf(checkpoint)
  if (items === undefined) return null
  const { inputs, count } = items
  const toggle = (place: number): void => {
    const next = new Set(refused)
    if (!next.delete(place)) next.add(place)
    onChange?.(next)
  }
  return (
    <>
      {onChange !== undefined && (
        <Group gap="xs">
          <Button size="compact-xs" variant="default" onClick={() => onChange(new Set())}>
            Select all
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => onChange(new Set(inputs.keys()))}>
            Select none
          </Button>
          <Text size="sm" role="status">
            {(count - refused.size).toLocaleString()} of {count.toLocaleString()} selected
          </Text>
        </Group>
      )}
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, 'aria-label': 'Actions' }}>
        <Table aria-label="Actions" verticalSpacing={4}>
          <Table.Tbody>
            {inputs.map((input, place) => (
              <Table.Tr key={place}>
                {onChange !== undefined && (
                  <Table.Td w="1%">
                    <Checkbox
                      size="xs"
                      aria-label={`Approve ${showInvisible(itemText(input))}`}
                      checked={!refused.has(place)}
                      onChange={() => toggle(place)}
                    />
                  </Table.Td>
                )}
                <Table.Td>
                  <Code className="outside-text">{showInvisible(itemText(input))}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {inputs.length < count && (
        <Text size="sm" c="dimmed">
          {(count - inputs.length).toLocaleString()} more are not shown. Their selection is that of the
          answer.
        </Text>
      )}
    </>
  )
}
