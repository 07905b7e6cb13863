import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { PlusIcon } from 'lucide-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import type { ApiCaseDetail } from '../api/types.ts'
import { handleSubmit, useIdempotencyKey } from '../forms/form-state.ts'
import { dateInputText, dateInputTime } from '../lists/time-range.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useFocusAfter } from '../parts/hooks.ts'
import { Section } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { StateBadge } from '../parts/states.tsx'
import { useNow, useZone } from '../parts/time.ts'
import { DateTime } from '../parts/times.tsx'
import { useSession } from '../session/session.ts'
import { PersonField } from './person-field.tsx'

type Task = ApiCaseDetail['tasks'][number]

interface CaseTasksProps {
  /** Code. */
  readonly organization: string
  readonly tasks: readonly Task[]
  readonly path: string
  readonly mayEdit: boolean
  readonly onDone: () => void
}

/** What is to do in the case. Open tasks come first. */
export function CaseTasks({ organization, tasks, path, mayEdit, onDone }: CaseTasksProps) {
  const [isAdding, setAdding] = useState(false)
  const [adder, beginClosing] = useFocusAfter<HTMLButtonElement>()
  const change = useMutation({
    mutationFn: ({ task, done }: { readonly task: Task; readonly done: boolean }) =>
      apiCall('PATCH', `${path}/tasks/${task.task_id}`, {
        body: { done },
        headers: { 'if-match': `"${task.revision}"` },
      }),
    onSettled: onDone,
  })
  const open = tasks.filter(({ done_at: at }) => at === null)
  const sorted = [...open, ...tasks.filter(({ done_at: at }) => at !== null)]
  if (tasks.length === 0 && !mayEdit) return null
  return (
    <Section
      title="Tasks"
      count={open.length}
      actions={
        mayEdit &&
        !isAdding && (
          <Button
            ref={adder}
            size="compact-xs"
            variant="default"
            leftSection={<PlusIcon />}
            onClick={() => setAdding(true)}
          >
            Add task
          </Button>
        )
      }
    >
      <Stack gap="xs">
        {tasks.length === 0 && !isAdding && (
          <Text size="sm" c="dimmed">
            No tasks yet
          </Text>
        )}
        {sorted.map((task) => (
          <TaskRow
            key={task.task_id}
            task={task}
            isDisabled={!mayEdit}
            onToggle={(done) => !change.isPending && change.mutate({ task, done })}
          />
        ))}
        {change.isError && <ErrorAlert error={change.error} />}
        {isAdding && (
          <TaskForm
            organization={organization}
            path={path}
            onSend={beginClosing}
            onClose={() => {
              beginClosing()
              setAdding(false)
            }}
            onDone={() => {
              setAdding(false)
              onDone()
            }}
          />
        )}
      </Stack>
    </Section>
  )
}

interface TaskRowProps {
  readonly task: Task
  readonly isDisabled: boolean
  readonly onToggle: (done: boolean) => void
}

function TaskRow({ task, isDisabled, onToggle }: TaskRowProps) {
  const isOpen = task.done_at === null
  // The row may move to another place in the list.
  const [box, beginMoving] = useFocusAfter<HTMLInputElement>()
  const now = useNow(isOpen && task.due_at !== null)
  const isOverdue = isOpen && task.due_at !== null && task.due_at < now
  return (
    <Checkbox
      ref={box}
      size="sm"
      checked={!isOpen}
      disabled={isDisabled}
      onChange={({ currentTarget }) => {
        beginMoving()
        onToggle(currentTarget.checked)
      }}
      classNames={{ label: 'outside-text' }}
      label={
        <>
          {showInvisible(task.title)}
          {task.owner !== null && (
            <Text span size="sm" c="dimmed">
              {' '}
              · {showInvisible(task.owner)}
            </Text>
          )}
          {isOpen && task.due_at !== null && (
            <Text span size="sm" c="dimmed">
              {' '}
              · due <DateTime at={task.due_at} ago />
            </Text>
          )}
          {isOverdue && (
            <>
              {' '}
              <StateBadge text="Overdue" color="red" />
            </>
          )}
          {!isOpen && (
            <Text span size="sm" c="dimmed">
              {' '}
              · done by {showInvisible(task.done_by?.name ?? '')}, <DateTime at={task.done_at} />
            </Text>
          )}
        </>
      }
    />
  )
}

interface TaskFormProps {
  readonly organization: string
  readonly path: string
  readonly onSend: () => void
  readonly onClose: () => void
  readonly onDone: () => void
}

function TaskForm({ organization, path, onSend, onClose, onDone }: TaskFormProps) {
  const { key_name: me } = useSession()
  const zone = useZone()
  const [title, setTitle] = useState('')
  const [owner, setOwner] = useState(me)
  const [due, setDue] = useState('')
  const once = useIdempotencyKey()
  const add = useMutation({
    mutationFn() {
      const dueAt = dateInputTime(due, zone)
      const body = {
        title: title.trim(),
        // Others may have the same name.
        ...(owner.trim() !== '' && { owner: owner.trim() === me ? 'me' : owner.trim() }),
        ...(dueAt !== null && { due_at: Number(dueAt) }),
      }
      return apiCall('POST', `${path}/tasks`, { body, headers: once.headersFor(body) })
    },
    onSuccess() {
      once.done()
      onDone()
    },
  })
  return (
    <form
      onSubmit={handleSubmit(() => {
        onSend()
        add.mutate()
      })}
    >
      <Stack gap="xs">
        <TextInput
          size="xs"
          label="Task"
          maxLength={500}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          autoFocus
        />
        <Group gap="xs" grow>
          <PersonField
            size="xs"
            label="Owner"
            organization={organization}
            value={owner}
            onChange={setOwner}
          />
          <TextInput
            size="xs"
            type="datetime-local"
            label="Due"
            value={due}
            min={dateInputText('0', zone)}
            onChange={({ currentTarget }) => setDue(currentTarget.value)}
          />
        </Group>
        {add.isError && <ErrorAlert error={add.error} />}
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" onClick={onClose}>
            Discard
          </Button>
          <Button size="xs" type="submit" loading={add.isPending} disabled={title.trim() === ''}>
            Add task
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
