import { Button, Group, Menu, Text } from '@mantine/core'
import type { ListedKey } from '../api/types.ts'
import type { Column } from '../lists/data-row.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { StateBadge } from '../parts/states.tsx'
import { breakable } from '../parts/text-view.tsx'
import { TableTime } from '../parts/times.tsx'
import { KeyStateBadge } from './key-fields.tsx'

export type KeyAction = 'rotate' | 'change' | 'revoke'

interface KeyColumnOptions {
  readonly now: number
  /** Id of the key of the session; null: a person is signed in. */
  readonly own: string | null
  readonly choose: (key: ListedKey, action: KeyAction) => void
}

/** The columns of the list of keys. */
export const keyColumns = ({ now, own, choose }: KeyColumnOptions): readonly Column<ListedKey>[] => [
  {
    title: 'NAME',
    sort: 'name',
    width: 'minmax(150px, 2fr)',
    cell: ({ name, key_id: id }) => (
      <div title={showInvisible(name)}>
        <Group gap={6} wrap="nowrap">
          <span className="data-table-text">{breakable(showInvisible(name))}</span>
          {id === own && <StateBadge text="Yours" color="blue" />}
        </Group>
        <Text size="xs" c="dimmed" ff="monospace">
          {id}
        </Text>
      </div>
    ),
  },
  { title: 'ROLE', width: '88px', cell: ({ role }) => breakable(role) },
  {
    title: 'ORGS',
    width: 'minmax(66px, 1fr)',
    cell: ({ organization_codes: codes }) => codes?.join(', ') ?? 'all',
  },
  {
    title: 'OWNER',
    width: 'minmax(104px, 1fr)',
    cell: (key) => <OwnerCell apiKey={key} />,
  },
  {
    title: 'STATE',
    width: '92px',
    cell: (key) => <KeyStateBadge apiKey={key} now={now} />,
  },
  {
    title: 'CREATED',
    width: '104px',
    isExtra: true,
    sort: 'created_at',
    cell: (key) => <TableTime at={key.created_at} />,
  },
  {
    title: 'CREATED BY',
    width: 'minmax(76px, 1fr)',
    isExtra: true,
    cell: ({ created_by: by }) => by && showInvisible(by.name),
  },
  {
    title: 'ADDRESSES',
    width: 'minmax(110px, 1fr)',
    isOptional: true,
    cell: ({ allowed_addresses: ranges }) => ranges?.join(', ') ?? 'all',
  },
  {
    title: 'EXPIRES',
    sort: 'expires_at',
    width: '120px',
    cell: (key) => (key.expires_at === null ? 'never' : <TableTime at={key.expires_at} />),
  },
  {
    title: 'LAST USED',
    sort: 'last_used_at',
    width: '94px',
    cell: (key) => (key.last_used_at === null ? 'never' : <TableTime at={key.last_used_at} />),
  },
  {
    title: '',
    width: '88px',
    cell: (key) =>
      key.revoked_at === null && <KeyMenu apiKey={key} onChoose={(action) => choose(key, action)} />,
  },
]

function OwnerCell({ apiKey }: { readonly apiKey: ListedKey }) {
  const { owner, owner_name: name, owner_accepted: isAccepted } = apiKey
  if (owner === null) return null
  return (
    <div title={showInvisible(name ?? owner)}>
      <span className="data-table-text">{breakable(showInvisible(name ?? owner))}</span>
      {!isAccepted && (
        <Text size="xs" c="dimmed">
          not accepted
        </Text>
      )}
    </div>
  )
}

interface KeyMenuProps {
  readonly apiKey: ListedKey
  readonly onChoose: (action: KeyAction) => void
}

function KeyMenu({ apiKey, onChoose }: KeyMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-xs" variant="subtle" aria-label={`Manage ${showInvisible(apiKey.name)}`}>
          Manage
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose('rotate')}>Rotate</Menu.Item>
        <Menu.Item onClick={() => onChoose('change')}>Owner and addresses</Menu.Item>
        <Menu.Item color="red" onClick={() => onChoose('revoke')}>
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
