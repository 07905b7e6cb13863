import { Button, Group, Paper, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { CaseDetail } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { caseStatuses, choicesOf, severities, verdicts } from '../parts/states.tsx'

interface CaseEditorProps {
  readonly found: CaseDetail
  readonly path: string
  readonly etag: string | null
  readonly onDone: () => void
}

const choices = [
  { name: 'status', label: 'Status', data: choicesOf(caseStatuses) },
  { name: 'severity', label: 'Severity', data: choicesOf(severities) },
  { name: 'verdict', label: 'Verdict', data: choicesOf(verdicts) },
] as const

/** Changes what people decide about a case; refused where somebody else was faster. */
export function CaseEditor({ found, path, etag, onDone }: CaseEditorProps) {
  const [assignee, setAssignee] = useState(found.assignee ?? '')
  const change = useMutation({
    mutationFn: (body: Partial<Pick<CaseDetail, 'assignee'>> | Record<string, string | null>) =>
      call('PATCH', path, { body, headers: { 'if-match': etag ?? '*' } }),
    onSettled: onDone,
  })
  return (
    <Paper withBorder p="sm" component="section" aria-label="Decisions">
      <Stack gap="xs">
        <SimpleGrid cols={3} spacing="xs">
          {choices.map(({ name, label, data }) => (
            <Select
              key={name}
              size="xs"
              label={label}
              data={data}
              value={found[name]}
              onChange={(value) => value !== null && change.mutate({ [name]: value })}
              allowDeselect={false}
              disabled={change.isPending}
            />
          ))}
        </SimpleGrid>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            change.mutate({ assignee: assignee.trim() === '' ? null : assignee.trim() })
          }}
        >
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              size="xs"
              label="Assignee"
              placeholder="Nobody"
              value={assignee}
              onChange={(event) => setAssignee(event.currentTarget.value)}
              flex={1}
              maxLength={200}
            />
            <Button
              type="submit"
              size="xs"
              variant="default"
              loading={change.isPending}
              disabled={assignee.trim() === (found.assignee ?? '')}
            >
              Assign
            </Button>
          </Group>
        </form>
        {change.isError && <Refusal error={change.error} />}
      </Stack>
    </Paper>
  )
}
