import { Button, Group, Select, SimpleGrid, Stack, Text, Alert, List } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import type { Tagged } from '../api/call.ts'
import type { ApiCase, ApiCaseDetail, CaseChange } from '../api/types.ts'
import { useUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'
import { caseStatusLooks, selectOptions, severityLooks, verdictLooks } from '../parts/states.tsx'
import { useSession } from '../session/session.ts'
import { CloseDialog } from './closing.tsx'
import { Targets } from './due-time.tsx'
import { PersonField } from './person-field.tsx'
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
      // `me` and e-mail addresses become names.
      setTyped((now) => {
        if (sent === undefined) return now
        const isSent = now?.value.trim() === (sent ?? '')
        return isSent ? undefined : fieldAfterSave(now, saved.data.assignee)
      })
    },
    onGivenIn: ({ assignee: left }) => left !== undefined && setTyped(undefined),
  })
  const { change, isPending, error } = changing
  const [isClosing, { open, close }] = useDisclosure()
  return (
    <Section
      title="Decisions"
      actions={
        <DecisionButtons
          found={found}
          isPending={isPending}
          onAssign={() => change({ assignee: 'me' })}
          onClose={open}
        />
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

interface DecisionButtonsProps {
  readonly found: ApiCaseDetail
  readonly isPending: boolean
  readonly onAssign: () => void
  readonly onClose: () => void
}

/** The two decisions that most cases need. */
function DecisionButtons({ found, isPending, onAssign, onClose }: DecisionButtonsProps) {
  const { key_id: me } = useSession()
  const isMine = found.assignee_id === me
  const closing = useRef<HTMLButtonElement>(null)
  const hasAssigned = useRef(false)
  useEffect(() => {
    // The button that had the focus is gone.
    if (isMine && hasAssigned.current && document.activeElement === document.body) closing.current?.focus()
    if (isMine) hasAssigned.current = false
  }, [isMine, isPending])
  return (
    <Group gap="xs">
      {!isMine && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={isPending}
          onClick={() => {
            hasAssigned.current = true
            onAssign()
          }}
        >
          Assign to me
        </Button>
      )}
      {found.status !== 'closed' && (
        <Button ref={closing} size="compact-xs" variant="default" onClick={onClose}>
          Close …
        </Button>
      )}
    </Group>
  )
}

interface AssigneeFormProps {
  readonly found: ApiCaseDetail
  readonly changing: CaseChanging
  readonly typed: EditedField | undefined
  readonly onType: (typed: EditedField | undefined) => void
}

function AssigneeForm({ found, changing: { changeFrom, isPending }, typed, onType }: AssigneeFormProps) {
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
        <PersonField
          size="xs"
          organization={found.organization_code}
          label="Assignee"
          placeholder="Unassigned"
          value={assignee}
          onChange={(value) => onType(editField(typed, found.assignee, value))}
          error={conflictText(typed, found.assignee)}
          flex={1}
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
