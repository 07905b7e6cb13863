import { Button, Group } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { ChoiceFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { TableTime } from '../parts/times.tsx'
import { useMayForAll } from '../session/session.ts'
import type { ApiPlaybook } from '../api/types.ts'
import { AlertsCell, FailedCell, LastRunCell, LastRunsCell, StartsCell } from './results.tsx'

const origins = [
  { value: 'file', label: 'Authored' },
  { value: 'made', label: 'Generated' },
  { value: 'trial', label: 'Trial of a skill' },
] as const

const columns: readonly Column<ApiPlaybook>[] = [
  {
    title: 'NAME',
    width: 'minmax(220px, 1.8fr)',
    cell: ({ name }) => <RowLink href={`/playbooks/${name}`} text={name} isMain />,
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
  { title: 'LAST RUN', width: '150px', isExtra: true, cell: ({ name }) => <LastRunCell name={name} /> },
  {
    title: 'ORIGIN',
    width: '110px',
    isExtra: true,
    cell: ({ origin, organization_code: code, shadow }) =>
      shadow ? 'In shadow' : origin === 'file' ? 'Authored' : `Generated (${code})`,
  },
  {
    title: 'PUBLISHED',
    width: '150px',
    isExtra: true,
    cell: ({ in_force: isInForce, put_in_force_at: at, created_at: seen }) =>
      isInForce && <TableTime at={at ?? seen} />,
  },
]

const idOf = ({ name, organization_code: code }: ApiPlaybook): string => `${name} ${code ?? ''}`
const names = ['q', 'origin'] as const

/** All playbooks. */
export default function PlaybooksView() {
  const [, navigate] = useLocation()
  const { filters, of } = useFilters(names)
  const mayEdit = useMayForAll('playbooks:write')
  return (
    <ListView
      title="Playbooks"
      path="/playbooks"
      query={filters}
      columns={columns}
      idOf={idOf}
      onOpen={({ name }) => navigate(`/playbooks/${name}`)}
      actions={
        mayEdit && (
          <Button component={Link} href="/playbooks/new" size="xs">
            New playbook
          </Button>
        )
      }
      filters={
        <Group gap="xs">
          <TextFilter label="Search playbooks" placeholder="Search name" {...of('q')} />
          <ChoiceFilter label="Origin" data={origins} {...of('origin')} />
        </Group>
      }
      empty="No matching playbooks"
    />
  )
}
