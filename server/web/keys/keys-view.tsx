import { Button, Group } from '@mantine/core'
import { LockClosedIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { ListPage } from '../lists/page/list-page.tsx'
import { breakable } from '../parts/json/breakable.tsx'
import { useNow } from '../parts/time/now.ts'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { StateBadge } from '../parts/states/states.tsx'
import { When } from '../parts/time/when.tsx'
import { useSession } from '../session/session.ts'
import { keyState, type Key } from './key.ts'
import { NewKey } from './new-key.tsx'
import { RevokeKey } from './revoke-key.tsx'
import type { Column } from '../lists/table/column.ts'

const idOf = (key: Key): string => key.key_uuid

/** The API keys that whoever is signed in may see. */
export default function KeysView() {
  const now = useNow()
  const [revoked, setRevoked] = useState<Key>()
  const { key_id: own } = useSession()
  const columns: readonly Column<Key>[] = [
    {
      title: 'NAME',
      width: 'minmax(150px, 2fr)',
      cell: ({ name, key_id: id }) => (
        <Group gap={6} wrap="nowrap" title={showInvisible(name)}>
          <span className="data-table-text">{breakable(showInvisible(name))}</span>
          {id === own && <StateBadge text="yours" color="blue" />}
        </Group>
      ),
    },
    { title: 'ID', width: '104px', isExtra: true, cell: ({ key_id: id }) => <code>{id}</code> },
    { title: 'ROLE', width: '70px', cell: ({ role }) => role },
    {
      title: 'ORGS',
      width: 'minmax(66px, 1fr)',
      cell: ({ organization_codes: codes }) => codes?.join(', ') ?? 'all',
    },
    {
      title: 'STATE',
      width: '84px',
      cell(key) {
        const state = keyState(key, now)
        return <StateBadge text={state} color={state === 'Active' ? 'green' : 'gray'} />
      },
    },
    { title: 'CREATED', width: '104px', isExtra: true, cell: (key) => <When at={key.created_at} /> },
    {
      title: 'CREATED BY',
      width: 'minmax(76px, 1fr)',
      isExtra: true,
      cell: ({ created_by: by }) => by && showInvisible(by.name),
    },
    {
      title: 'EXPIRES',
      width: '94px',
      cell: (key) => (key.expires_at === null ? 'never' : <When at={key.expires_at} />),
    },
    {
      title: 'LAST USED',
      width: '94px',
      cell: (key) => (key.last_used_at === null ? 'never' : <When at={key.last_used_at} />),
    },
    {
      title: '',
      width: '76px',
      cell: (key) =>
        key.revoked_at === null && (
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => setRevoked(key)}>
            Revoke
          </Button>
        ),
    },
  ]
  return (
    <>
      <ListPage
        title="Keys"
        path="/keys"
        columns={columns}
        idOf={idOf}
        actions={<NewKey />}
        icon={LockClosedIcon}
        empty="No keys"
      />
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </>
  )
}
