import { Checkbox } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ListChecksIcon } from 'lucide-react'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { apiCall } from '../api/call.ts'
import { useOrganizations } from '../api/lookups.ts'
import { apiProblem } from '../api/problem.ts'
import type { ApiListedTask } from '../api/types.ts'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { ChoiceFilter, LookupFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { SeverityLevel, StateBadge } from '../parts/states.tsx'
import { useNow } from '../parts/time.ts'
import { TableTime } from '../parts/times.tsx'
import { useMay } from '../session/session.ts'

const idOf = (task: ApiListedTask): string => task.task_id
const names = ['owner', 'state', 'due', 'organization', 'sort'] as const
const owners = [
  { value: 'me', label: 'Me' },
  { value: 'all', label: 'Anyone' },
  { value: 'nobody', label: 'Nobody' },
  { value: 'disabled', label: 'Disabled people' },
]
const states = [
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Done' },
  { value: 'all', label: 'All' },
]
const dues = [{ value: 'overdue', label: 'Overdue' }]

/** Tasks of all cases; the open ones of the signed-in person unless others are chosen. */
export default function TasksView() {
  const [, navigate] = useLocation()
  const { filters, of, choose } = useFilters(names)
  const { owner = 'me', state = 'open', due, organization, sort = 'due_at' } = filters
  const organizations = useOrganizations()
  const query = useMemo(
    () => ({
      ...(owner === 'me' && { owner }),
      ...(owner === 'disabled' && { owner_state: owner }),
      ...(owner === 'nobody' && { unowned: 'true' }),
      ...(state !== 'all' && { state }),
      due,
      organization,
      sort,
    }),
    [owner, state, due, organization, sort],
  )
  return (
    <ListView
      title="Tasks"
      icon={ListChecksIcon}
      path="/tasks"
      query={query}
      columns={columns}
      idOf={idOf}
      sort={sort}
      onSort={(by) => choose({ sort: by === 'due_at' ? null : by })}
      onOpen={(task) => navigate(`/cases/${task.case.case_id}`)}
      filters={
        <>
          <ChoiceFilter label="Owner" data={owners} {...of('owner')} value={owner} />
          <ChoiceFilter label="State" data={states} {...of('state')} value={state} />
          <ChoiceFilter label="Due" data={dues} {...of('due')} />
          {organizations.codes.length > 1 && (
            <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
          )}
        </>
      }
      empty={owner === 'me' && state === 'open' ? 'You have no open tasks' : 'No matching tasks'}
    />
  )
}

const columns: readonly Column<ApiListedTask>[] = [
  { title: '', width: '36px', cell: (task) => <DoneBox task={task} /> },
  {
    title: 'TASK',
    width: 'minmax(160px, 2fr)',
    cell: (task) => <RowLink href={`/cases/${task.case.case_id}`} text={showInvisible(task.title)} isMain />,
  },
  { title: 'STATE', width: '92px', cell: (task) => <TaskState task={task} /> },
  {
    title: 'DUE',
    width: '104px',
    sort: 'due_at',
    cell: ({ due_at: at }) => <TableTime at={at} />,
  },
  {
    title: 'CASE',
    width: 'minmax(120px, 1.4fr)',
    cell: ({ case: of }) => `${of.case_id.toUpperCase()} ${showInvisible(of.title)}`,
  },
  {
    title: 'SEVERITY',
    width: '100px',
    isExtra: true,
    cell: ({ case: of }) => <SeverityLevel severity={of.severity} />,
  },
  {
    title: 'ORG',
    width: 'minmax(60px, 0.4fr)',
    isOptional: true,
    cell: ({ case: of }) => of.organization_code,
  },
  {
    title: 'OWNER',
    width: 'minmax(100px, 0.8fr)',
    isExtra: true,
    cell: ({ owner, owner_state: state }) =>
      owner !== null && (
        <>
          {showInvisible(owner)}
          {state === 'disabled' && (
            <>
              {' '}
              <StateBadge text="Disabled" color="gray" />
            </>
          )}
        </>
      ),
  },
  {
    title: 'ADDED',
    width: '104px',
    isOptional: true,
    sort: 'created_at',
    cell: (task) => <TableTime at={task.created_at} />,
  },
]

function DoneBox({ task }: { readonly task: ApiListedTask }) {
  const mayEdit = useMay('cases:write')
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (done: boolean) =>
      apiCall('PATCH', `/cases/${task.case.case_id}/tasks/${task.task_id}`, {
        body: { done },
        headers: { 'if-match': `"${task.revision}"` },
      }),
    onError: (error) =>
      notifications.show({ color: 'red', title: 'Not changed', message: apiProblem(error).title }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['list', '/tasks'] }),
  })
  return (
    <Checkbox
      size="xs"
      aria-label={`Done: ${showInvisible(task.title)}`}
      checked={task.done_at !== null}
      disabled={!mayEdit || change.isPending}
      onClick={(event) => event.stopPropagation()}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  )
}

function TaskState({ task: { done_at: done, due_at: due } }: { readonly task: ApiListedTask }) {
  const isOpen = done === null
  const now = useNow(isOpen && due !== null)
  if (!isOpen) return <StateBadge text="Done" color="gray" />
  return due !== null && due < now ? <StateBadge text="Overdue" color="red" /> : 'Open'
}
