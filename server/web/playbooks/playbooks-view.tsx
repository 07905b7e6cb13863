import { Badge, Button, Group, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { useOrganizations } from '../api/lookups.ts'
import { ChoiceFilter, LookupFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { sortedBy, useFilters } from '../lists/use-filters.ts'
import { TableTime } from '../parts/times.tsx'
import { useMay } from '../session/session.ts'
import type { ApiListedPlaybook } from '../api/types.ts'
import { DraftsButton } from './draft/drafts-button.tsx'
import { FolderAlert } from '../health/folder-alert.tsx'
import { AlertsCell, FailedCell, LastRunsCell, StartsCell } from './results.tsx'

const origins = [
  { value: 'file', label: 'Authored' },
  { value: 'made', label: 'Generated' },
  { value: 'trial', label: 'Trial of a skill' },
] as const

const columns: readonly Column<ApiListedPlaybook>[] = [
  {
    title: 'NAME',
    width: 'minmax(220px, 1.8fr)',
    sort: 'name',
    cell: ({ name, draft }) => (
      <Group gap={8} wrap="nowrap">
        <RowLink href={`/playbooks/${name}`} text={name} isMain />
        {draft !== null && (
          <Badge color="blue" flex="none">
            Draft
          </Badge>
        )}
      </Group>
    ),
  },
  { title: 'TRIGGERED BY', width: 'minmax(150px, 1.2fr)', cell: ({ name }) => <StartsCell name={name} /> },
  {
    title: 'ALERTS 7 / 30 D',
    width: '118px',
    isNumber: true,
    cell: ({ name }) => <AlertsCell name={name} />,
  },
  { title: 'LAST RUNS', width: '112px', cell: ({ name }) => <LastRunsCell name={name} /> },
  { title: 'FAILED', width: '70px', isNumber: true, cell: ({ name }) => <FailedCell name={name} /> },
  {
    title: 'RUNS 30 D',
    width: '96px',
    isNumber: true,
    sort: 'runs_30d',
    cell: ({ runs_30d: runs }) => runs.toLocaleString(),
  },
  {
    title: 'LAST RUN',
    width: '104px',
    isExtra: true,
    sort: 'last_run_at',
    cell: ({ last_run_at: at }) => <TableTime at={at} />,
  },
  {
    title: 'ORIGIN',
    width: '110px',
    isExtra: true,
    cell: ({ origin, organization_code: code, shadow }) =>
      `${shadow ? 'In shadow' : origin === 'file' ? 'Authored' : 'Generated'}${code === null ? '' : ` (${code})`}`,
  },
  {
    title: 'PUBLISHED',
    width: '104px',
    isExtra: true,
    sort: 'put_in_force_at',
    cell: ({ in_force: isInForce, put_in_force_at: at, created_at: seen, shadow }) =>
      isInForce ? <TableTime at={at ?? seen} /> : !shadow && <Text size="sm">Not live</Text>,
  },
  {
    title: 'FIRST SEEN',
    width: '104px',
    isOptional: true,
    sort: 'created_at',
    cell: ({ created_at: at }) => <TableTime at={at} />,
  },
]

const idOf = ({ name, organization_code: code }: ApiListedPlaybook): string => `${name} ${code ?? ''}`
const names = ['q', 'origin', 'organization', 'sort'] as const

/** All playbooks. */
export default function PlaybooksView() {
  const [, navigate] = useLocation()
  const { filters, of, choose } = useFilters(names)
  const mayEdit = useMay('playbooks:test')
  const organizations = useOrganizations()
  return (
    <ListView
      title="Playbooks"
      path="/playbooks"
      query={filters}
      columns={columns}
      idOf={idOf}
      onOpen={({ name }) => navigate(`/playbooks/${name}`)}
      actions={
        <>
          <DraftsButton />
          {mayEdit && (
            <Button component={Link} href="/playbooks/new" size="xs">
              New playbook
            </Button>
          )}
        </>
      }
      {...sortedBy('-created_at', { filters, choose })}
      savedAs="playbooks"
      filters={
        <>
          <FolderAlert />
          <TextFilter label="Search playbooks" placeholder="Search name" {...of('q')} />
          <ChoiceFilter label="Origin" data={origins} {...of('origin')} />
          {organizations.codes.length > 1 && (
            <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
          )}
        </>
      }
      empty="No matching playbooks"
    />
  )
}
