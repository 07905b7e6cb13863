import { Group } from '@mantine/core'
import { CircleMinusIcon } from 'lucide-react'
import { useLocation } from 'wouter'
import { useOrganizations } from '../api/lookups.ts'
import type { ApiContainment } from '../api/types.ts'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { ChoiceFilter, LookupFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { sortedBy, useFilters } from '../lists/use-filters.ts'
import { breakable } from '../parts/text-view.tsx'
import { showInvisible, stepHref } from '../parts/outside-text.ts'
import { selectOptions } from '../parts/states.tsx'
import { TableTime } from '../parts/times.tsx'
import { ExtendButton } from './extend-button.tsx'
import { containmentLooks, ContainmentBadge, targetText, UndoButton } from './containment-parts.tsx'

const idOf = (one: ApiContainment): string => one.containment_id
const names = ['state', 'organization', 'case', 'sort'] as const
const states = [...selectOptions(containmentLooks), { value: 'all', label: 'All' }]

/** Containments of all cases; those that may still be in effect unless a state is chosen. */
export default function ContainmentsView() {
  const [, navigate] = useLocation()
  const { filters, of, choose } = useFilters(names)
  const organizations = useOrganizations()
  return (
    <ListView
      title="Containments"
      icon={CircleMinusIcon}
      path="/containments"
      query={filters}
      columns={columns}
      idOf={idOf}
      {...sortedBy('-created_at', { filters, choose })}
      savedAs="containments"
      onOpen={({ action }) => navigate(stepHref(action.run_uuid, action.path))}
      filters={
        <>
          <ChoiceFilter label="State" data={states} {...of('state')} />
          <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
          <TextFilter label="Case" {...of('case')} />
        </>
      }
      empty="No matching containments"
    />
  )
}

const columns: readonly Column<ApiContainment>[] = [
  {
    title: 'ACTION',
    width: 'minmax(140px, 1.2fr)',
    cell: ({ action }) => (
      <RowLink href={stepHref(action.run_uuid, action.path)} text={action.skill} isMain />
    ),
  },
  {
    title: 'STATE',
    width: '104px',
    cell: (one) => <ContainmentBadge one={one} />,
  },
  {
    title: 'TARGET',
    width: 'minmax(110px, 1.6fr)',
    cell: (one) => {
      const text = showInvisible(targetText(one))
      return (
        <span className="data-table-text" title={text}>
          {breakable(text)}
        </span>
      )
    },
  },
  { title: 'ORG', width: 'minmax(50px, 0.4fr)', cell: (one) => one.organization_code },
  {
    title: 'CASE',
    width: 'minmax(64px, 0.5fr)',
    cell: ({ case_id: id }) => id !== null && <RowLink href={`/cases/${id}`} text={id.toUpperCase()} />,
  },
  {
    title: 'REASON',
    width: 'minmax(90px, 1.2fr)',
    isExtra: true,
    cell: ({ reason }) => reason !== null && <span className="data-table-text">{showInvisible(reason)}</span>,
  },
  {
    title: 'CONNECTION',
    width: 'minmax(80px, 0.6fr)',
    isExtra: true,
    cell: ({ connection }) => connection !== null && showInvisible(connection),
  },
  {
    title: 'UNDONE BY',
    width: 'minmax(90px, 0.8fr)',
    isOptional: true,
    cell: ({ undone_by: by }) => by,
  },
  { title: 'SINCE', width: '94px', sort: 'created_at', cell: (one) => <TableTime at={one.created_at} /> },
  {
    title: 'EXPIRES',
    width: '94px',
    cell: ({ expires_at: at, state }) => state !== 'undone' && <TableTime at={at} />,
  },
  {
    title: '',
    width: '128px',
    cell: (one) => (
      <Group gap={6} wrap="nowrap" justify="flex-end">
        <ExtendButton one={one} />
        <UndoButton one={one} />
      </Group>
    ),
  },
]
