import type { ApiAuditEntry } from '../api/types.ts'
import { Text } from '@mantine/core'
import { useState } from 'react'
import { auditActions } from '../../../core/domain/audit.ts'
import type { Query } from '../api/call.ts'
import { ChoiceFilter, LookupFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { TimeFilter, timeNames } from '../lists/time-filter.tsx'
import { sortedBy, useFilters } from '../lists/use-filters.ts'
import { useOrganizations } from '../api/lookups.ts'
import { Dialog } from '../parts/dialog.tsx'
import { breakable, JsonView } from '../parts/text-view.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { TableTime } from '../parts/times.tsx'
import type { Column } from '../lists/data-row.tsx'

type Named = ApiAuditEntry['actor'] | ApiAuditEntry['subject']

/** A name with its kind. */
function NameOf({ kind, name, id }: Named) {
  const text = showInvisible(name ?? id ?? '')
  return (
    <span className="data-table-text" title={`${kind} ${text}`}>
      <Text span inherit c="dimmed">
        {kind.replace('api_key', 'key')}{' '}
      </Text>
      {breakable(text)}
    </span>
  )
}

const columns: readonly Column<ApiAuditEntry>[] = [
  { title: 'NUMBER', width: '76px', sort: 'sequence', cell: ({ sequence }) => sequence },
  { title: 'WHEN', width: '104px', cell: ({ at }) => <TableTime at={at} /> },
  { title: 'ACTION', width: 'minmax(140px, 1fr)', cell: ({ action }) => action },
  { title: 'SKILL', width: 'minmax(120px, 1fr)', cell: ({ details }) => skillOf(details) },
  { title: 'ACTOR', width: 'minmax(140px, 1.4fr)', cell: ({ actor }) => <NameOf {...actor} /> },
  { title: 'TARGET', width: 'minmax(140px, 1.4fr)', cell: ({ subject }) => <NameOf {...subject} /> },
  { title: 'ORG', width: '76px', isExtra: true, cell: (entry) => entry.organization_code },
  {
    title: 'REQUEST',
    width: 'minmax(120px, 1fr)',
    isOptional: true,
    cell: ({ request_id: id }) => id !== null && showInvisible(id),
  },
]

const skillOf = ({ skill }: Partial<Record<string, unknown>>): string =>
  typeof skill === 'string' ? showInvisible(skill) : ''

const idOf = ({ sequence }: ApiAuditEntry): string => String(sequence)
const names = ['action', 'actor', 'skill', 'subject', 'organization', ...timeNames, 'sort'] as const

/** The API of the audit log has other names for its times. */
const toApi = ({ created_after: after, created_before: before, ...query }: Query): Query => ({
  ...query,
  after,
  before,
})

/** The audit log, newest entries first. */
export default function AuditView() {
  const { filters, of, choose } = useFilters(names)
  const organizations = useOrganizations()
  const [shown, setShown] = useState<ApiAuditEntry>()
  return (
    <>
      <ListView
        title="Audit"
        path="/audit"
        query={filters}
        toApi={toApi}
        columns={columns}
        idOf={idOf}
        onOpen={setShown}
        {...sortedBy('-sequence', { filters, choose })}
        savedAs="audit"
        filters={
          <>
            <ChoiceFilter label="Action" data={auditActions} {...of('action')} />
            <TextFilter label="Actor" {...of('actor')} />
            <TextFilter label="Skill" {...of('skill')} />
            <TextFilter label="Target (id)" {...of('subject')} />
            <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
            <TimeFilter label="When" range={filters} onChange={choose} />
          </>
        }
        empty="No matching entries"
      />
      <Dialog
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={`Entry ${shown?.sequence ?? ''}`}
        size="lg"
      >
        <JsonView value={shown ?? null} label="Audit entry" />
      </Dialog>
    </>
  )
}
