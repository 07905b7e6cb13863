import { Group } from '@mantine/core'
import { TargetIcon } from '@radix-ui/react-icons'
import { useLocation, useSearchParams } from 'wouter'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiSeenObservable } from '../api/types.ts'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { ChoiceFilter, LookupFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { TableTime } from '../parts/times.tsx'
import { ObservablePage } from './observable-page.tsx'
import { observableFilter, observableHref } from './observable-parts.tsx'

/** All observables, or the one in the address. */
export default function ObservablesView() {
  const [params] = useSearchParams()
  const observable = params.get('observable')
  return observable === null ? (
    <ObservableList />
  ) : (
    <ObservablePage key={observable} observable={observable} />
  )
}

const names = ['q', 'kind', 'organization'] as const
/** As in `observableKinds` of the server. */
const kinds = ['ip', 'domain', 'url', 'hash', 'email', 'host', 'user', 'vulnerability', 'company']
const idOf = (row: ApiSeenObservable): string => `${row.organization_code} ${observableFilter(row)}`

function ObservableList() {
  const [, navigate] = useLocation()
  const { filters, of } = useFilters(names)
  const organizations = useOrganizations()
  return (
    <ListView
      title="Observables"
      icon={TargetIcon}
      path="/observables"
      query={filters}
      columns={columns}
      idOf={idOf}
      onOpen={(row) => navigate(observableHref(row))}
      filters={
        <Group gap="xs">
          <TextFilter label="Search" placeholder="Beginning of the value" {...of('q')} />
          <ChoiceFilter label="Kind" data={kinds} {...of('kind')} />
          <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
        </Group>
      }
      empty="No matching observables"
    />
  )
}

const columns: readonly Column<ApiSeenObservable>[] = [
  { title: 'KIND', width: '96px', cell: ({ kind }) => kind },
  {
    title: 'VALUE',
    width: 'minmax(180px, 2fr)',
    cell: (row) => <RowLink href={observableHref(row)} text={row.value} isMain />,
  },
  { title: 'ORG', width: 'minmax(50px, 0.4fr)', cell: (row) => row.organization_code },
  { title: 'CASES', width: '70px', cell: ({ cases }) => cases.toLocaleString() },
  { title: 'ALERTS', width: '70px', cell: ({ alerts }) => alerts.toLocaleString() },
  { title: 'RUNS', width: '70px', isExtra: true, cell: ({ runs }) => runs.toLocaleString() },
  { title: 'FIRST SEEN', width: '94px', isExtra: true, cell: (row) => <TableTime at={row.first_seen_at} /> },
  { title: 'LAST SEEN', width: '94px', cell: (row) => <TableTime at={row.last_seen_at} /> },
]
