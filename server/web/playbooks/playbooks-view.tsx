import { Anchor, Button, Group } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import type { Column } from '../lists/data-table.tsx'
import { ChoiceFilter, SearchFilter } from '../lists/filter-fields.tsx'
import { ListPage } from '../lists/list-page.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { Time } from '../parts/times.tsx'
import type { Playbook } from './playbook.ts'
import { useMayEdit } from './use-may-edit.ts'

const origins = [
  { value: 'file', label: 'Written' },
  { value: 'made', label: 'Made' },
] as const

const columns: readonly Column<Playbook>[] = [
  {
    title: 'NAME',
    width: 'minmax(240px, 2fr)',
    cell: ({ name }) => (
      <Anchor component={Link} href={`/playbooks/${name}`} size="sm" fw={600} tabIndex={-1}>
        {name}
      </Anchor>
    ),
  },
  {
    title: 'ORIGIN',
    width: '160px',
    cell: ({ origin }) => (origin === 'file' ? 'Written' : 'Made by an investigation'),
  },
  { title: 'ORG', width: '100px', cell: (playbook) => playbook.organization_code ?? 'all' },
  { title: 'VERSION', width: '130px', cell: ({ hash }) => <code>{hash.slice(0, 12)}</code> },
  { title: 'IN FORCE SINCE', width: '160px', cell: (playbook) => <Time at={playbook.created_at} /> },
]

const idOf = ({ name, organization_code: code }: Playbook): string => `${name} ${code ?? ''}`
const names = ['q', 'origin'] as const

/** The newest version of each playbook. */
export default function PlaybooksView() {
  const [, navigate] = useLocation()
  const { filters, of } = useFilters(names)
  const mayEdit = useMayEdit()
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
          <SearchFilter label="Search in playbooks" placeholder="In the name" {...of('q')} />
          <ChoiceFilter label="Origin" data={origins} {...of('origin')} />
        </Group>
      }
      empty="No playbook fits."
    />
  )
}
