import { Button, Group } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { ChoiceFilter, SearchFilter } from '../lists/filters/filter-fields.tsx'
import { ListPage } from '../lists/page/list-page.tsx'
import { RowLink } from '../lists/table/row-link.tsx'
import { useFilters } from '../lists/filters/use-filters.ts'
import { When } from '../parts/time/when.tsx'
import { useMayForAll } from '../session/session.ts'
import type { Playbook } from './playbook.ts'
import { AlertsCell, FailedCell, LastRunCell, LastRunsCell, StartsCell } from './results/result-cells.tsx'
import type { Column } from '../lists/table/column.ts'

const origins = [
  { value: 'file', label: 'Authored' },
  { value: 'made', label: 'Generated' },
] as const

const columns: readonly Column<Playbook>[] = [
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
    cell: ({ origin, organization_code: code }) => (origin === 'file' ? 'Authored' : `Generated (${code})`),
  },
  {
    title: 'PUBLISHED',
    width: '150px',
    isExtra: true,
    cell: ({ in_force: isInForce, put_in_force_at: at, created_at: seen }) =>
      isInForce && <When at={at ?? seen} />,
  },
]

const idOf = ({ name, organization_code: code }: Playbook): string => `${name} ${code ?? ''}`
const names = ['q', 'origin'] as const

/** The newest version of each playbook. */
export default function PlaybooksView() {
  const [, navigate] = useLocation()
  const { filters, of } = useFilters(names)
  const mayEdit = useMayForAll()
  return (
    <ListPage
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
          <SearchFilter label="Search playbooks" placeholder="Search name" {...of('q')} />
          <ChoiceFilter label="Origin" data={origins} {...of('origin')} />
        </Group>
      }
      empty="No matching playbooks"
    />
  )
}
