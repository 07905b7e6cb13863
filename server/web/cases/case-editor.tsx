import { Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { Tagged } from '../api/call.ts'
import type { Case, CaseDetail } from '../api/types.ts'
import { useTyped } from '../forms/typed.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { Section } from '../parts/section.tsx'
import { caseStatuses, choicesOf, severities, verdicts } from '../parts/states/states.tsx'
import { useSession } from '../session/session.ts'
import { Overtaken } from './overtaken.tsx'
import { afterSaving, meanwhileText, touch, touchedText, type Touched } from './touched.ts'
import { useChange } from './use-change.ts'

interface CaseEditorProps {
  readonly found: CaseDetail
  readonly path: string
  readonly etag: string | null
  readonly onDone: () => void
  readonly onSaved: (saved: Tagged<Case>) => void
}

const choices = [
  { name: 'status', label: 'Status', data: choicesOf(caseStatuses) },
  { name: 'severity', label: 'Severity', data: choicesOf(severities) },
  { name: 'verdict', label: 'Verdict', data: choicesOf(verdicts) },
] as const

/** Changes what people decide about a case. */
export function CaseEditor({ found, path, etag, onDone, onSaved }: CaseEditorProps) {
  const { key_name: me } = useSession()
  const [typed, setTyped] = useTyped<Touched | undefined>({
    place: `Assignee of case ${found.case_id.toUpperCase()}`,
    empty: undefined,
    textOf: touchedText,
  })
  const changing = useChange({
    path,
    found,
    etag,
    onSettled: onDone,
    onSaved(saved, { assignee: sent }) {
      onSaved(saved)
      setTyped((now) => afterSaving(now, sent))
    },
    onGivenIn: ({ assignee: left }) => left !== undefined && setTyped(undefined),
  })
  const { change, changeFrom, isPending, error } = changing
  const assignee = typed?.value ?? found.assignee ?? ''
  return (
    <Section
      title="Decisions"
      actions={
        found.assignee !== me && (
          <Button
            size="compact-xs"
            variant="default"
            disabled={isPending}
            onClick={() => change({ assignee: me })}
          >
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
            const name = assignee.trim()
            changeFrom(
              { assignee: typed === undefined ? found.assignee : typed.from },
              { assignee: name === '' ? null : name },
            )
          }}
        >
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              size="xs"
              label="Assignee"
              placeholder="Unassigned"
              value={assignee}
              onChange={({ currentTarget: { value } }) => setTyped(touch(typed, found.assignee, value))}
              error={meanwhileText(typed, found.assignee)}
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
