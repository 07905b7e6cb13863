import { Button, Text } from '@mantine/core'
import { Link2Icon } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { useOrganizations } from '../api/lookups.ts'
import { ChoiceFilter, LookupFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { sortedBy, useFilters } from '../lists/use-filters.ts'
import { TableTime } from '../parts/times.tsx'
import { useMay } from '../session/session.ts'
import { ConnectionState, usePlugins } from './connection-parts.tsx'
import { ageText, oldAfterDays } from './connection.ts'
import type { ApiConnection } from '../api/types.ts'

const columns: readonly Column<ApiConnection>[] = [
  {
    title: 'NAME',
    width: 'minmax(130px, 1.2fr)',
    sort: 'name',
    cell: ({ connection_uuid: id, name }) => <RowLink href={`/connections/${id}`} text={name} isMain />,
  },
  { title: 'ORG', width: 'minmax(80px, 0.5fr)', cell: (connection) => connection.organization_code },
  { title: 'SYSTEM', width: 'minmax(140px, 1fr)', cell: ({ plugin }) => <PluginTitle name={plugin} /> },
  { title: 'STATE', width: '110px', cell: (connection) => <ConnectionState connection={connection} /> },
  {
    title: 'CREDENTIALS',
    width: '120px',
    cell: ({ credential_age_days: days }) => days !== null && <CredentialAge days={days} />,
  },
  {
    title: 'PROBLEM',
    width: 'minmax(140px, 2fr)',
    cell: ({ broken, warnings }) => broken?.reason ?? warnings[0]?.reason,
  },
  {
    title: 'CREATED',
    width: '104px',
    isOptional: true,
    sort: 'created_at',
    cell: (connection) => <TableTime at={connection.created_at} />,
  },
  {
    title: 'CHANGED',
    width: '104px',
    isOptional: true,
    sort: 'modified_at',
    cell: (connection) => <TableTime at={connection.modified_at} />,
  },
]

const names = ['organization', 'enabled', 'broken', 'sort'] as const
const enabledOptions = [
  { value: 'true', label: 'Enabled' },
  { value: 'false', label: 'Disabled' },
]
const problemOptions = [
  { value: 'true', label: 'With a problem' },
  { value: 'false', label: 'Without' },
]
const idOf = ({ connection_uuid: id }: ApiConnection): string => id

/** The connections to other systems. */
export default function ConnectionsView() {
  const [, navigate] = useLocation()
  const { filters, of, choose } = useFilters(names)
  const organizations = useOrganizations()
  const mayMake = useMay('connections:write')
  return (
    <ListView
      title="Connections"
      path="/connections"
      query={filters}
      {...sortedBy('name', { filters, choose })}
      savedAs="connections"
      filters={
        <>
          <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
          <ChoiceFilter label="Enabled" data={enabledOptions} {...of('enabled')} />
          <ChoiceFilter label="Problem" data={problemOptions} {...of('broken')} />
        </>
      }
      columns={columns}
      idOf={idOf}
      onOpen={({ connection_uuid: id }) => navigate(`/connections/${id}`)}
      actions={
        mayMake && (
          <Button component={Link} href="/connections/new" size="xs">
            New connection
          </Button>
        )
      }
      icon={Link2Icon}
      empty="No connections yet. Add one to let skills reach other systems."
    />
  )
}

function PluginTitle({ name }: { readonly name: string }) {
  return <>{usePlugins().data?.find((plugin) => plugin.name === name)?.title ?? name}</>
}

function CredentialAge({ days }: { readonly days: number }) {
  if (days < oldAfterDays) return <>{ageText(days)}</>
  return (
    <Text component="span" size="sm" className="state-orange">
      {ageText(days)}: rotate
    </Text>
  )
}
