import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Column } from '../lists/data-table.tsx'
import { ListPage } from '../lists/list-page.tsx'
import { useNow } from '../parts/now.ts'
import { StateBadge } from '../parts/states.tsx'
import { Time } from '../parts/times.tsx'
import { keyState, type Key } from './key.ts'
import { NewKey } from './new-key.tsx'
import { RevokeKey } from './revoke-key.tsx'

const idOf = (key: Key): string => key.key_uuid

/** The API keys that whoever is signed in may see. */
export default function KeysView() {
  const now = useNow()
  const [revoked, setRevoked] = useState<Key>()
  const columns: readonly Column<Key>[] = [
    { title: 'NAME', width: 'minmax(140px, 2fr)', cell: ({ name }) => name },
    { title: 'ID', width: '130px', cell: ({ key_id: id }) => <code>{id}</code> },
    { title: 'ROLE', width: '90px', cell: ({ role }) => role },
    {
      title: 'ORGANIZATIONS',
      width: 'minmax(120px, 1fr)',
      cell: ({ organization_codes: codes }) => codes?.join(', ') ?? 'all',
    },
    {
      title: 'STATE',
      width: '100px',
      cell(key) {
        const state = keyState(key, now)
        return <StateBadge text={state} color={state === 'Usable' ? 'green' : 'gray'} />
      },
    },
    { title: 'MADE', width: '160px', cell: (key) => <Time at={key.created_at} /> },
    { title: 'EXPIRES', width: '160px', cell: (key) => <Time at={key.expires_at} /> },
    { title: 'LAST USED', width: '110px', cell: (key) => <Time at={key.last_used_at} ago /> },
    {
      title: '',
      width: '90px',
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
        isNewestFirst={false}
        actions={<NewKey />}
        empty="There is no key."
      />
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </>
  )
}
