import { Alert, Anchor, Text } from '@mantine/core'
import { LockIcon } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ListView } from '../lists/list-page.tsx'
import { useNow, serverTime } from '../parts/time.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { useSession } from '../session/session.ts'
import { isLastAdmin } from './key.ts'
import { keyColumns, type KeyAction } from './key-columns.tsx'
import { NewKey } from './new-key.tsx'
import { useOrganizations } from '../api/lookups.ts'
import { ChoiceFilter, LookupFilter } from '../lists/filters.tsx'
import { sortedBy, useFilters } from '../lists/use-filters.ts'
import { apiCall, apiGet } from '../api/call.ts'
import type { ApiPage, ListedKey } from '../api/types.ts'
import { ConfirmDialog } from '../parts/feedback.tsx'

const editKey = () => import('./edit-key.tsx')
const RotateKey = lazy(() => editKey().then(({ RotateKey: dialog }) => ({ default: dialog })))
const ChangeKey = lazy(() => editKey().then(({ ChangeKey: dialog }) => ({ default: dialog })))

const idOf = (key: ListedKey): string => key.key_uuid
const names = ['organization', 'state', 'sort'] as const
const states = [
  { value: 'usable', label: 'Active' },
  { value: 'expiring', label: 'Ends soon' },
  { value: 'unusable', label: 'Not usable' },
]

/** API keys that the session may see. */
export default function KeysView() {
  const now = useNow()
  const { filters, of, choose } = useFilters(names)
  const [chosen, setChosen] = useState<{ readonly key: ListedKey; readonly action: KeyAction }>()
  const close = (): void => setChosen(undefined)
  const { key_id: own } = useSession()
  const columns = keyColumns({ now, own, choose: (key, action) => setChosen({ key, action }) })
  return (
    <>
      <ListView
        title="Keys"
        path="/keys"
        query={filters}
        columns={columns}
        idOf={idOf}
        {...sortedBy('created_at', { filters, choose })}
        savedAs="keys"
        filters={<KeyFilters of={of} />}
        actions={<NewKey />}
        icon={LockIcon}
        empty="No keys"
      />
      <RevokeKey apiKey={chosen?.action === 'revoke' ? chosen.key : undefined} onClose={close} />
      <Suspense>
        {chosen?.action === 'rotate' && <RotateKey apiKey={chosen.key} onClose={close} />}
        {chosen?.action === 'change' && <ChangeKey apiKey={chosen.key} onClose={close} />}
      </Suspense>
    </>
  )
}

interface KeyFiltersProps {
  readonly of: ReturnType<typeof useFilters<(typeof names)[number]>>['of']
}

function KeyFilters({ of }: KeyFiltersProps) {
  const state = of('state')
  return (
    <>
      <LookupFilter label="Organization" lookup={useOrganizations()} {...of('organization')} />
      <ChoiceFilter label="State" data={states} {...state} />
      <EndingSoon isShown={state.value !== 'expiring'} />
    </>
  )
}

/** Says how many keys end soon. */
function EndingSoon({ isShown }: { readonly isShown: boolean }) {
  const { data } = useQuery({
    queryKey: ['list', '/keys', 'expiring'],
    queryFn: () => apiGet<ApiPage<ListedKey>>('/keys', { state: 'expiring', limit: 1 }),
    enabled: isShown,
  })
  const count = data?.total ?? 0
  if (!isShown || count === 0) return null
  return (
    <Anchor component={Link} href="/keys?state=expiring" size="sm" underline="always">
      {count === 1 ? 'One key ends' : `${count} keys end`} within 14 days
    </Anchor>
  )
}

interface RevokeKeyProps {
  readonly apiKey: ListedKey | undefined
  readonly onClose: () => void
}

/** Confirms the revocation of a key. */
function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const queries = useQueryClient()
  const { key_id: own } = useSession()
  const admins = useQuery({
    queryKey: ['admins', apiKey?.key_id],
    queryFn: () => apiGet<ApiPage<ListedKey>>('/keys', { role: 'admin', state: 'usable', limit: 200 }),
    enabled: apiKey?.role === 'admin',
    staleTime: 0,
  })
  const isLast = apiKey !== undefined && isLastAdmin(apiKey, admins.data?.data ?? [], serverTime())
  const revoke = useMutation({
    mutationFn: (id: string) => apiCall('DELETE', `/keys/${id}`),
    onSuccess() {
      void queries.resetQueries({ queryKey: ['list', '/keys'] })
      onClose()
    },
  })
  const close = (): void => {
    revoke.reset()
    onClose()
  }
  return (
    <ConfirmDialog
      opened={apiKey !== undefined}
      title="Revoke key"
      action="Revoke"
      color="red"
      isPending={revoke.isPending || admins.isLoading}
      isDisabled={isLast}
      error={revoke.error}
      onClose={close}
      onConfirm={() => apiKey && revoke.mutate(apiKey.key_id)}
    >
      <Text size="sm">
        Requests with the key “{showInvisible(apiKey?.name ?? '')}” will be refused immediately. You cannot
        undo this.
      </Text>
      {isLast && admins.isSuccess && (
        <Alert color="orange" title="This is the last active administrator key">
          <Text size="sm">
            Without it, no one could create keys. First create another administrator key for all organizations
            that stays valid for at least a week.
          </Text>
        </Alert>
      )}
      {apiKey?.key_id === own && !isLast && !revoke.isError && (
        <Alert color="orange" title="You are signed in with this key">
          <Text size="sm">You will be signed out immediately and need another key to sign in.</Text>
        </Alert>
      )}
    </ConfirmDialog>
  )
}
