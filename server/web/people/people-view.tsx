import { Button, Group, Menu, Stack, Text } from '@mantine/core'
import { UserIcon } from 'lucide-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import type { ApiAccount } from '../api/types.ts'
import type { Column } from '../lists/data-row.tsx'
import { TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { sortedBy, useFilters } from '../lists/use-filters.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ConfirmDialog, ErrorAlert } from '../parts/feedback.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { StateBadge } from '../parts/states.tsx'
import { breakable } from '../parts/text-view.tsx'
import { TableTime } from '../parts/times.tsx'
import { ViewTabs } from '../parts/view-tabs.tsx'
import { useMay, useSession } from '../session/session.ts'
import { EditRoles, InvitePerson, ShownLink, type MadeLink } from './edit-person.tsx'

const idOf = ({ account_uuid: uuid }: ApiAccount): string => uuid
const names = ['q', 'sort'] as const
const colors = { active: 'green', invited: 'blue', disabled: 'gray' } as const
const stateTexts = { active: 'Active', invited: 'Invited', disabled: 'Disabled' } as const

const rolesText = ({ roles }: Pick<ApiAccount, 'roles'>): string =>
  roles.map(({ role, organization_code: code }) => `${role} (${code ?? 'all'})`).join(', ')

type Action = 'roles' | 'link' | 'sessions' | 'disable' | 'enable'

/** The accounts that the session may see. */
export default function PeopleView() {
  const { filters, of, choose } = useFilters(names)
  const { account_uuid: own } = useSession()
  const mayInvite = useMay('people:write')
  const [chosen, setChosen] = useState<{ readonly account: ApiAccount; readonly action: Action }>()
  const close = (): void => setChosen(undefined)
  const columns: readonly Column<ApiAccount>[] = [
    {
      title: 'NAME',
      sort: 'name',
      width: 'minmax(130px, 2fr)',
      cell: ({ name, account_uuid: uuid }) => (
        <Group gap={6} wrap="nowrap" title={showInvisible(name)}>
          <span className="data-table-text">{breakable(showInvisible(name))}</span>
          {uuid === own && <StateBadge text="You" color="blue" />}
        </Group>
      ),
    },
    {
      title: 'E-MAIL',
      width: 'minmax(150px, 2fr)',
      sort: 'email',
      cell: ({ email }) => showInvisible(email),
    },
    { title: 'ROLES', width: 'minmax(120px, 2fr)', cell: rolesText },
    {
      title: 'STATE',
      width: '92px',
      cell: ({ state }) => <StateBadge text={stateTexts[state]} color={colors[state]} />,
    },
    {
      title: 'LAST USED',
      sort: 'last_used_at',
      width: '104px',
      cell: ({ last_used_at: at }) => (at === null ? 'never' : <TableTime at={at} />),
    },
    {
      title: '',
      width: '88px',
      cell: (account) =>
        mayInvite && <PersonMenu account={account} onChoose={(action) => setChosen({ account, action })} />,
    },
  ]
  return (
    <>
      <ListView
        title="People"
        path="/accounts"
        query={filters}
        columns={columns}
        idOf={idOf}
        {...sortedBy('name', { filters, choose })}
        savedAs="people"
        filters={<TextFilter label="Search people" placeholder="Search name, e-mail" {...of('q')} />}
        actions={
          <>
            <ViewTabs of="people" current="/people" />
            {mayInvite && <InvitePerson />}
          </>
        }
        icon={UserIcon}
        empty="No people"
      />
      {chosen?.action === 'roles' && <EditRoles account={chosen.account} onClose={close} />}
      {chosen?.action === 'link' && <NewLink account={chosen.account} onClose={close} />}
      {chosen !== undefined && chosen.action in dialogs && (
        <Confirm account={chosen.account} action={chosen.action as keyof typeof dialogs} onClose={close} />
      )}
    </>
  )
}

interface PersonMenuProps {
  readonly account: ApiAccount
  readonly onChoose: (action: Action) => void
}

function PersonMenu({ account, onChoose }: PersonMenuProps) {
  const isDisabled = account.state === 'disabled'
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-xs" variant="subtle" aria-label={`Manage ${showInvisible(account.name)}`}>
          Manage
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose('roles')}>Change roles</Menu.Item>
        {!isDisabled && <Menu.Item onClick={() => onChoose('link')}>New password link</Menu.Item>}
        {!isDisabled && <Menu.Item onClick={() => onChoose('sessions')}>Sign out everywhere</Menu.Item>}
        {isDisabled ? (
          <Menu.Item onClick={() => onChoose('enable')}>Enable</Menu.Item>
        ) : (
          <Menu.Item color="red" onClick={() => onChoose('disable')}>
            Disable
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

const dialogs = {
  sessions: {
    title: 'Sign out everywhere',
    action: 'Sign out',
    method: 'DELETE',
    path: 'sessions',
    text: 'All sessions of the person end immediately. The person can sign in again.',
  },
  disable: {
    title: 'Disable account',
    action: 'Disable',
    method: 'POST',
    path: 'disable',
    text: 'The person is signed out immediately and cannot sign in. Runs, answers and approvals of the person stay; cases keep their assignee.',
  },
  enable: {
    title: 'Enable account',
    action: 'Enable',
    method: 'POST',
    path: 'enable',
    text: 'The person can sign in again as before.',
  },
} as const

interface ConfirmProps {
  readonly account: ApiAccount
  readonly action: keyof typeof dialogs
  readonly onClose: () => void
}

function Confirm({ account, action, onClose }: ConfirmProps) {
  const queries = useQueryClient()
  const dialog = dialogs[action]
  const change = useMutation({
    mutationFn: () => apiCall(dialog.method, `/accounts/${account.account_uuid}/${dialog.path}`),
    onSuccess() {
      void queries.resetQueries({ queryKey: ['list', '/accounts'] })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened
      title={`${dialog.title}: ${showInvisible(account.name)}`}
      action={dialog.action}
      {...(action === 'disable' && { color: 'red' })}
      isPending={change.isPending}
      error={change.error}
      onClose={onClose}
      onConfirm={() => change.mutate()}
    >
      <Text size="sm">{dialog.text}</Text>
    </ConfirmDialog>
  )
}

function NewLink({ account, onClose }: { readonly account: ApiAccount; readonly onClose: () => void }) {
  const make = useMutation({
    mutationFn: () => apiCall<MadeLink>('POST', `/accounts/${account.account_uuid}/invitation`),
  })
  return (
    <Dialog opened onClose={onClose} title={`New password link: ${showInvisible(account.name)}`}>
      {make.isSuccess ? (
        <ShownLink link={make.data} onDone={onClose} />
      ) : (
        <Stack>
          <Text size="sm">
            The person sets a new password with the link. This replaces password, one-time codes and passkeys,
            and earlier links no longer work.
          </Text>
          {make.isError && <ErrorAlert error={make.error} />}
          <Group justify="flex-end">
            <Button loading={make.isPending} onClick={() => make.mutate()} data-autofocus>
              Create link
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
