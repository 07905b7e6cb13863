import { Autocomplete, Button, Group, Select, SimpleGrid, Stack, Text, Alert, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { usePeople } from '../api/lookups.ts'
import type { Tagged } from '../api/call.ts'
import type { ApiCase, ApiCaseDetail, CaseChange } from '../api/types.ts'
import { useUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'
import { caseStatusLooks, selectOptions, severityLooks, verdictLooks } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import { CloseDialog } from './closing.tsx'
import { Targets } from './due-time.tsx'
import {
  fieldAfterSave,
  conflictText,
  editField,
  editedText,
  type EditedField,
  useCaseChange,
  quotedValue,
  type CaseChanging,
} from './use-case-change.ts'

interface CaseEditorProps {
  readonly found: ApiCaseDetail
  readonly path: string
  readonly etag: string | null
  readonly onDone: () => void
  readonly onSaved: (saved: Tagged<ApiCase>) => void
}

const choices = [
  { name: 'status', label: 'Status', data: selectOptions(caseStatusLooks) },
  { name: 'severity', label: 'Severity', data: selectOptions(severityLooks) },
  { name: 'verdict', label: 'Verdict', data: selectOptions(verdictLooks) },
] as const

/** Status, severity, verdict and assignee of a case. */
export function CaseEditor({ found, path, etag, onDone, onSaved }: CaseEditorProps) {
  const { key_name: me } = useSession()
  const [typed, setTyped] = useUnsavedInput<EditedField | undefined>({
    place: `Assignee of case ${found.case_id.toUpperCase()}`,
    empty: undefined,
    textOf: editedText,
  })
  const changing = useCaseChange({
    path,
    found,
    etag,
    onSettled: onDone,
    onSaved(saved, { assignee: sent }) {
      onSaved(saved)
      setTyped((now) => fieldAfterSave(now, sent))
    },
    onGivenIn: ({ assignee: left }) => left !== undefined && setTyped(undefined),
  })
  const { change, isPending, error } = changing
  const [isClosing, { open, close }] = useDisclosure()
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
        <Targets found={found} />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {choices.map(({ name, label, data }) => (
            <Select
              key={name}
              size="xs"
              label={label}
              data={data}
              value={found[name]}
              onChange={(value) => {
                if (value === 'closed') open()
                else if (value !== null) change({ [name]: value })
              }}
              allowDeselect={false}
              disabled={isPending}
            />
          ))}
        </SimpleGrid>
        <AssigneeForm found={found} changing={changing} typed={typed} onType={setTyped} />
        <CaseConflict found={found} changing={changing} />
        {error !== undefined && <ErrorAlert error={error} />}
      </Stack>
      {isClosing && (
        <CloseDialog
          title={`Close ${found.case_id.toUpperCase()}`}
          action="Close case"
          isPending={isPending}
          onClose={close}
          onConfirm={(changes) => {
            close()
            change(changes)
          }}
        />
      )}
    </Section>
  )
}

interface AssigneeFormProps {
  readonly found: ApiCaseDetail
  readonly changing: CaseChanging
  readonly typed: EditedField | undefined
  readonly onType: (typed: EditedField | undefined) => void
}

function AssigneeForm({ found, changing: { changeFrom, isPending }, typed, onType }: AssigneeFormProps) {
  const people = usePeople(found.organization_code)
  const assignee = typed?.value ?? found.assignee ?? ''
  return (
    <form
      onSubmit={handleSubmit(() => {
        const name = assignee.trim()
        changeFrom(
          { assignee: typed === undefined ? found.assignee : typed.from },
          { assignee: name === '' ? null : name },
        )
      })}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Autocomplete
          size="xs"
          data={[...people]}
          label="Assignee"
          placeholder="Unassigned"
          value={assignee}
          onChange={(value) => onType(editField(typed, found.assignee, value))}
          error={conflictText(typed, found.assignee)}
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
  )
}

interface CaseConflictProps {
  readonly found: ApiCaseDetail
  readonly changing: CaseChanging
}

/** Shows a revision conflict: the changes that someone else saved, and a choice. */
export function CaseConflict({
  found,
  changing: { conflict, change, isPending, giveIn },
}: CaseConflictProps) {
  if (conflict === undefined) return null
  const names = Object.keys(conflict) as (keyof CaseChange)[]
  return (
    <Alert color="orange" title="Someone else changed this case" role="alert">
      <List size="sm">
        {names.map((name) => (
          <List.Item key={name} className="outside-text">
            {name}: now {quotedValue(found[name])}, yours {quotedValue(conflict[name])}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={4}>
        See the timeline for who changed it. Your changes are not saved.
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" loading={isPending} onClick={() => change(conflict)}>
          Save mine
        </Button>
        <Button size="xs" variant="default" onClick={giveIn}>
          Discard mine
        </Button>
      </Group>
    </Alert>
  )
}
