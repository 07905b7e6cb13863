import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { apiAll, apiCall } from '../api/call.ts'
import type { ApiAccount, ApiRole } from '../api/types.ts'
import { ConfirmDialog, ErrorAlert } from '../parts/feedback.tsx'
import { PageLoading } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { ViewTabs } from '../parts/view-tabs.tsx'
import { ViewHead } from '../shell/view.tsx'
import { useMay } from '../session/session.ts'
import { useRoles } from './use-roles.ts'

const EditRole = lazy(() => import('./edit-role.tsx'))

type Chosen = { readonly role: ApiRole; readonly action: 'edit' | 'delete' } | { readonly action: 'new' }

const idOf = ({ name, organization_code: code }: ApiRole): string => `${name} ${code ?? ''}`

const nameColumn: SmallColumn<ApiRole> = {
  title: 'Role',
  cell: ({ name, description }) => (
    <>
      <Text size="sm" fw={600}>
        {showInvisible(name)}
      </Text>
      <Text size="sm" c="dimmed" className="outside-text">
        {showInvisible(description)}
      </Text>
    </>
  ),
}

const organizationColumn: SmallColumn<ApiRole> = {
  title: 'Organization',
  isNarrow: true,
  cell: ({ organization_code: code }) => code ?? 'all',
}

/** Built-in and custom roles, with their permissions. */
export default function RolesView() {
  const roles = useRoles()
  const people = useQuery({
    queryKey: ['accounts', 'all'],
    queryFn: () => apiAll<ApiAccount>('/accounts'),
  })
  const mayChange = useMay('people:write')
  const [chosen, setChosen] = useState<Chosen>()
  const close = (): void => setChosen(undefined)
  if (roles.isPending) return <PageLoading />
  if (roles.isError) return <ErrorAlert error={roles.error} onRetry={() => void roles.refetch()} />
  const all = roles.data.data
  const holders = (role: ApiRole): readonly ApiAccount[] => holdersOf(role, people.data ?? [])
  const about: SmallColumn<ApiRole> = {
    title: 'Permissions',
    cell: (role) => <Permissions role={role} total={roles.data.permissions.length} />,
  }
  const held: SmallColumn<ApiRole> = {
    title: 'People',
    isNumber: true,
    isNarrow: true,
    cell: (role) => (people.isSuccess ? holders(role).length : ''),
  }
  const actions: SmallColumn<ApiRole> = {
    title: 'Actions',
    isNarrow: true,
    cell: (role) => <RoleActions role={role} onChoose={(action) => setChosen({ role, action })} />,
  }
  return (
    <Stack>
      <ViewHead
        title="Roles"
        about="A role is a list of permissions. A person can have several, each in one organization or in all."
        actions={
          <>
            <ViewTabs of="people" current="/people/roles" />
            {mayChange && (
              <Button size="xs" onClick={() => setChosen({ action: 'new' })}>
                New role
              </Button>
            )}
          </>
        }
      />
      <SmallTable
        title="Custom roles"
        columns={[nameColumn, organizationColumn, about, held, ...(mayChange ? [actions] : [])]}
        rows={all.filter(({ is_built_in: isBuiltIn }) => !isBuiltIn)}
        idOf={idOf}
        empty="No custom roles"
      />
      <SmallTable
        title="Built-in roles"
        columns={[nameColumn, about, held]}
        rows={all.filter(({ is_built_in: isBuiltIn }) => isBuiltIn)}
        idOf={idOf}
        empty="No roles"
      />
      <Suspense>
        {chosen?.action === 'new' && <EditRole permissions={roles.data.permissions} onClose={close} />}
        {chosen?.action === 'edit' && (
          <EditRole role={chosen.role} permissions={roles.data.permissions} onClose={close} />
        )}
      </Suspense>
      {chosen?.action === 'delete' && (
        <DeleteRole
          role={chosen.role}
          holders={people.isSuccess ? holders(chosen.role) : undefined}
          onClose={close}
        />
      )}
    </Stack>
  )
}

interface RoleActionsProps {
  readonly role: ApiRole
  readonly onChoose: (action: 'edit' | 'delete') => void
}

const RoleActions = ({ role: { name }, onChoose }: RoleActionsProps) => (
  <Group gap={4} wrap="nowrap">
    <Button size="compact-xs" variant="subtle" aria-label={`Change ${name}`} onClick={() => onChoose('edit')}>
      Change
    </Button>
    <Button
      size="compact-xs"
      variant="subtle"
      color="red"
      aria-label={`Delete ${name}`}
      onClick={() => onChoose('delete')}
    >
      Delete
    </Button>
  </Group>
)

/** The people who have a role. */
const holdersOf = ({ name }: ApiRole, people: readonly ApiAccount[]): readonly ApiAccount[] =>
  people.filter(({ roles }) => roles.some(({ role }) => role.toLowerCase() === name.toLowerCase()))

function Permissions({ role, total }: { readonly role: ApiRole; readonly total: number }) {
  if (role.permissions.length === total) return 'all'
  return (
    <Text size="xs" ff="monospace" className="outside-text">
      {role.permissions.join(' · ')}
    </Text>
  )
}

interface DeleteRoleProps {
  readonly role: ApiRole
  /** Undefined: not known. */
  readonly holders: readonly ApiAccount[] | undefined
  readonly onClose: () => void
}

function DeleteRole({ role, holders, onClose }: DeleteRoleProps) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => apiCall('DELETE', `/roles/${encodeURIComponent(role.name)}`),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['roles'] })
      onClose()
    },
  })
  const names = holders?.map(({ name }) => showInvisible(name)) ?? []
  return (
    <ConfirmDialog
      opened
      title={`Delete role: ${showInvisible(role.name)}`}
      action="Delete"
      color="red"
      isPending={remove.isPending}
      isDisabled={names.length > 0}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      {names.length > 0 ? (
        <Text size="sm" className="outside-text">
          First give other roles to {names.slice(0, 10).join(', ')}
          {names.length > 10 && ` and ${names.length - 10} more`}.
        </Text>
      ) : (
        <Text size="sm">
          Nobody has the role. Approval rules that name it show a warning, and groups of single sign-on that
          give it then give no permissions.
        </Text>
      )}
    </ConfirmDialog>
  )
}
