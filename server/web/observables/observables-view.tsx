import { TargetIcon } from 'lucide-react'
import { useLocation, useSearchParams } from 'wouter'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiSeenObservable } from '../api/types.ts'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { ChoiceFilter, LookupFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { sortedBy, useFilters } from '../lists/use-filters.ts'
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

const names = ['q', 'kind', 'organization', 'sort'] as const
/** As in `observableKinds` of the server. */
const kinds = ['ip', 'domain', 'url', 'hash', 'email', 'host', 'user', 'vulnerability', 'company']
const idOf = (row: ApiSeenObservable): string => `${row.organization_code} ${observableFilter(row)}`

function ObservableList() {
  const [, navigate] = useLocation()
  const { filters, of, choose } = useFilters(names)
  const organizations = useOrganizations()
  return (
    <ListView
      title="Observables"
      icon={TargetIcon}
      path="/observables"
      query={filters}
      columns={columns}
      idOf={idOf}
      {...sortedBy('-first_seen_at', { filters, choose })}
      savedAs="observables"
      onOpen={(row) => navigate(observableHref(row))}
      filters={
        <>
          <TextFilter label="Search" placeholder="Beginning of the value" {...of('q')} />
          <ChoiceFilter label="Kind" data={kinds} {...of('kind')} />
          <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
        </>
      }
      empty="No matching observables"
    />
  )
}

const columns: readonly Column<ApiSeenObservable>[] = [
  {
    title: 'VALUE',
    width: 'minmax(180px, 2fr)',
    cell: (row) => <RowLink href={observableHref(row)} text={row.value} isMain />,
  },
  { title: 'KIND', width: '96px', cell: ({ kind }) => kind },
  { title: 'ORG', width: 'minmax(50px, 0.4fr)', cell: (row) => row.organization_code },
  { title: 'CASES', width: '70px', isNumber: true, cell: ({ cases }) => cases.toLocaleString() },
  { title: 'ALERTS', width: '70px', isNumber: true, cell: ({ alerts }) => alerts.toLocaleString() },
  { title: 'RUNS', width: '70px', isNumber: true, isExtra: true, cell: ({ runs }) => runs.toLocaleString() },
  {
    title: 'FIRST SEEN',
    width: '94px',
    isExtra: true,
    sort: 'first_seen_at',
    cell: (row) => <TableTime at={row.first_seen_at} />,
  },
  { title: 'LAST SEEN', width: '94px', cell: (row) => <TableTime at={row.last_seen_at} /> },
]
