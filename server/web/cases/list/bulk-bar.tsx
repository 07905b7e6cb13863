import { Anchor, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { ChevronDownIcon } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useOrganizations } from '../../api/lookups.ts'
import type { CaseChange } from '../../api/types.ts'
import { handleSubmit } from '../../forms/form-state.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ConfirmDialog } from '../../parts/feedback.tsx'
import { caseStatusLooks, severityLooks, verdictLooks } from '../../parts/states.tsx'
import { CloseDialog } from '../closing.tsx'
import { PersonField } from '../person-field.tsx'
import { casesText, countOf, organizationOf, type BulkChoice } from './bulk-changes.ts'
import type { Bulk } from './use-bulk.ts'

interface BulkBarProps {
  /** The selection now. A copy of it is taken when an action is chosen, so that a question does not change. */
  readonly choose: () => BulkChoice
  readonly count: number
  /** Selects all cases that match the filters; absent: all of them are selected, or can be. */
  readonly onAll?: (() => void) | undefined
  readonly total: number
  readonly isAll: boolean
  readonly onClear: () => void
  readonly bulk: Bulk
  readonly children: ReactNode
}

/** What the user wants to do with a copy of the selection. */
interface Wanted {
  readonly choice: BulkChoice
  readonly kind: 'close' | 'assign' | 'confirm'
  readonly changes?: CaseChange
  readonly done?: string
}

const menus = [
  {
    label: 'Status',
    field: 'status',
    looks: { open: caseStatusLooks.open, in_progress: caseStatusLooks.in_progress },
  },
  { label: 'Severity', field: 'severity', looks: severityLooks },
  { label: 'Verdict', field: 'verdict', looks: verdictLooks },
] as const

/** The actions on the selected cases. */
export function BulkBar({ choose, count, onAll, total, isAll, onClear, bulk, children }: BulkBarProps) {
  const [wanted, want] = useState<Wanted>()
  const act = (choice: BulkChoice, changes: CaseChange, done: string): void => {
    want(undefined)
    bulk.change(choice, changes, done)
    onClear()
  }
  /** Without a question, because it can be undone; all matching cases are more than the user has seen. */
  const actOrAsk = (changes: CaseChange, done: string): void => {
    const choice = choose()
    if (isAll) want({ choice, kind: 'confirm', changes, done })
    else act(choice, changes, done)
  }
  return (
    <>
      <Group gap="6px 8px" role="toolbar" aria-label="Selected cases" className="bulk-bar">
        <Text size="sm" fw={600} aria-live="polite">
          {count.toLocaleString()} selected
        </Text>
        {onAll !== undefined && (
          <Button size="compact-xs" variant="subtle" onClick={onAll}>
            Select all {total.toLocaleString()} matching
          </Button>
        )}
        <Button size="xs" onClick={() => want({ choice: choose(), kind: 'close' })}>
          Close …
        </Button>
        <Button size="xs" variant="default" onClick={() => actOrAsk({ assignee: 'me' }, 'Assigned')}>
          Assign to me
        </Button>
        <Button size="xs" variant="default" onClick={() => want({ choice: choose(), kind: 'assign' })}>
          Assign …
        </Button>
        {menus.map(({ label, field, looks }) => (
          <Menu key={field} position="bottom-start" withinPortal>
            <Menu.Target>
              <Button size="xs" variant="default" rightSection={<ChevronDownIcon />}>
                {label}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {Object.entries(looks).map(([value, { text }]) => (
                <Menu.Item key={value} onClick={() => actOrAsk({ [field]: value }, 'Changed')}>
                  {text}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        ))}
        {children}
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear
        </Button>
      </Group>
      {wanted !== undefined && <Question wanted={wanted} onBack={() => want(undefined)} onAct={act} />}
    </>
  )
}

interface QuestionProps {
  readonly wanted: Wanted
  readonly onBack: () => void
  readonly onAct: (choice: BulkChoice, changes: CaseChange, done: string) => void
}

function Question({ wanted: { choice, kind, changes = {}, done = '' }, onBack, onAct }: QuestionProps) {
  const cases = casesText(countOf(choice))
  if (kind === 'close')
    return (
      <CloseDialog
        title={`Close ${cases}`}
        action={`Close ${cases}`}
        isPending={false}
        onClose={onBack}
        onConfirm={(closing) => onAct(choice, closing, 'Closed')}
      />
    )
  if (kind === 'assign')
    return (
      <AssignDialog
        cases={cases}
        choice={choice}
        onBack={onBack}
        onAssign={(to) => onAct(choice, { assignee: to }, 'Assigned')}
      />
    )
  return (
    <ConfirmDialog
      opened
      title={`Change ${cases}`}
      action={`Change ${cases}`}
      onClose={onBack}
      onConfirm={() => onAct(choice, changes, done)}
    >
      <Text size="sm">
        {Object.entries(changes)
          .map(([name, value]) => `${name} will be ${String(value).replaceAll('_', ' ')}`)
          .join(', ')}
        , also for matching cases that are not loaded. You can undo it.
      </Text>
    </ConfirmDialog>
  )
}

interface AssignDialogProps {
  readonly cases: string
  readonly choice: BulkChoice
  readonly onBack: () => void
  /** Null: to nobody. */
  readonly onAssign: (assignee: string | null) => void
}

function AssignDialog({ cases, choice, onBack, onAssign }: AssignDialogProps) {
  const { codes } = useOrganizations()
  // Several organizations have different people.
  const organization = organizationOf(choice) ?? (codes.length === 1 ? codes[0] : undefined)
  const [name, setName] = useState('')
  return (
    <Dialog opened onClose={onBack} title={`Assign ${cases}`}>
      <form onSubmit={handleSubmit(() => name.trim() !== '' && onAssign(name.trim()))}>
        <Stack>
          <PersonField
            label="Assignee"
            organization={organization}
            value={name}
            onChange={setName}
            data-autofocus
          />
          <Group justify="space-between">
            <Anchor component="button" type="button" size="sm" onClick={() => onAssign(null)}>
              Unassign
            </Anchor>
            <Group gap="xs">
              <Button variant="default" onClick={onBack}>
                Back
              </Button>
              <Button type="submit" disabled={name.trim() === ''}>
                Assign {cases}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
