import { Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { CaseDetail } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { Section } from '../parts/section.tsx'
import { caseStatuses, choicesOf, severities, verdicts } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import { Overtaken } from './overtaken.tsx'
import { useChange } from './use-change.ts'

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

/** Changes what people decide about a case. */
export function CaseEditor({ found, path, etag, onDone }: CaseEditorProps) {
  const { key_name: me } = useSession()
  const [typed, setTyped] = useState<string>()
  const changing = useChange({ path, etag, onSettled: onDone, onSaved: () => setTyped(undefined) })
  const { change, isPending, error } = changing
  const assignee = typed ?? found.assignee ?? ''
  const assign = (name: string): void => change({ assignee: name.trim() === '' ? null : name.trim() })
  return (
    <Section
      title="Decisions"
      actions={
        found.assignee !== me && (
          <Button size="compact-xs" variant="default" disabled={isPending} onClick={() => assign(me)}>
            Assign to me
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {choices.map(({ name, label, data }) => (
            <Select
              key={name}
              size="xs"
              label={label}
              data={data}
              value={found[name]}
              onChange={(value) => value !== null && change({ [name]: value })}
              allowDeselect={false}
              disabled={isPending}
            />
          ))}
        </SimpleGrid>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            assign(assignee)
          }}
        >
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              size="xs"
              label="Assignee"
              placeholder="Nobody"
              value={assignee}
              onChange={(event) => setTyped(event.currentTarget.value)}
              flex={1}
              maxLength={200}
            />
            <Button
              type="submit"
              size="xs"
              variant="default"
              disabled={isPending || assignee.trim() === (found.assignee ?? '')}
            >
              Assign
            </Button>
          </Group>
        </form>
        <Overtaken found={found} changing={changing} />
        {error !== undefined && <Refusal error={error} />}
      </Stack>
    </Section>
  )
}
