import { Anchor, Button } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Column } from '../lists/data-table.tsx'
import { ListPage } from '../lists/list-page.tsx'
import { useMay } from '../session/session.ts'
import { ConnectionState } from './connection-state.tsx'
import type { Connection } from './connection.ts'

const columns: readonly Column<Connection>[] = [
  {
    title: 'NAME',
    width: 'minmax(160px, 1.2fr)',
    cell: ({ connection_uuid: id, name }) => (
      <Anchor component={Link} href={`/connections/${id}`} size="sm" fw={600} tabIndex={-1}>
        {name}
      </Anchor>
    ),
  },
  { title: 'ORG', width: 'minmax(80px, 0.5fr)', cell: (connection) => connection.organization_code },
  { title: 'PLUGIN', width: 'minmax(140px, 1fr)', cell: ({ plugin }) => plugin },
  { title: 'STATE', width: '110px', cell: (connection) => <ConnectionState connection={connection} /> },
  {
    title: 'CREDENTIALS',
    width: '130px',
    cell: ({ credential_age_days: days }) => days !== null && `${days} days old`,
  },
  {
    title: 'WHAT TO LOOK AT',
    width: 'minmax(200px, 2fr)',
    cell: ({ broken, warnings }) => broken?.reason ?? warnings[0]?.reason,
  },
]

const idOf = ({ connection_uuid: id }: Connection): string => id

/** The other systems that skills reach, and whether they can. */
export default function ConnectionsView() {
  const [, navigate] = useLocation()
  const mayMake = useMay('admin')
  return (
    <ListPage
      title="Connections"
      path="/connections"
      columns={columns}
      idOf={idOf}
      onOpen={({ connection_uuid: id }) => navigate(`/connections/${id}`)}
      isNewestFirst={false}
      actions={
        mayMake && (
          <Button component={Link} href="/connections/new" size="xs">
            New connection
          </Button>
        )
      }
      empty="There is no connection yet: skills cannot reach any other system."
    />
  )
}
