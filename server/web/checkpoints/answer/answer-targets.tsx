import { Anchor, Code, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { Link } from 'wouter'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { Time } from '../../parts/time/times.tsx'
import type { AnswerPreview } from './kinds.ts'

/** All that one answer would decide about: each target once, then each question. */
export function AnswerTargets({ preview }: { readonly preview: AnswerPreview }) {
  const { targets, data, gone, organization_code: code } = preview
  return (
    <Stack gap="sm">
      <Text size="sm">
        <b>{data.length}</b> questions in <b>{code}</b>, <b>{targets.length}</b> different targets.
        {gone > 0 && ` ${gone} no longer waiting.`}
      </Text>
      <ScrollArea.Autosize mah={200} viewportProps={{ tabIndex: 0, 'aria-label': 'Targets' }}>
        <Table aria-label="Targets">
          <Table.Tbody>
            {targets.map(({ target, count }, index) => (
              <Table.Tr key={index}>
                <Table.Td>
                  <Code className="outside-text">{showInvisible(target)}</Code>
                </Table.Td>
                <Table.Td ta="right">{count} ×</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <ScrollArea.Autosize mah={260} viewportProps={{ tabIndex: 0, 'aria-label': 'Questions' }}>
        <Table aria-label="Questions" fz="xs">
          <Table.Tbody>
            {data.map((question) => (
              <Table.Tr key={question.checkpoint_id}>
                <Table.Td className="outside-text">
                  {showInvisible(question.message ?? question.target)}
                </Table.Td>
                <Table.Td>
                  <Anchor component={Link} href={`/runs/${question.run_uuid}`} fz="xs" underline="always">
                    {showInvisible(question.alert_id?.toUpperCase() ?? question.playbook)}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <Time at={question.created_at} ago />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </Stack>
  )
}
