import type { ApiAuditEntry } from '../api/types.ts'
import { Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { LookupFilter, TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { useOrganizations } from '../api/lookups.ts'
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
  { title: 'NUMBER', width: '70px', cell: ({ sequence }) => sequence },
  { title: 'WHEN', width: '104px', cell: ({ at }) => <TableTime at={at} /> },
  { title: 'ACTION', width: 'minmax(140px, 1fr)', cell: ({ action }) => action },
  { title: 'ACTOR', width: 'minmax(140px, 1.4fr)', cell: ({ actor }) => <NameOf {...actor} /> },
  { title: 'TARGET', width: 'minmax(140px, 1.4fr)', cell: ({ subject }) => <NameOf {...subject} /> },
  { title: 'ORG', width: '76px', isExtra: true, cell: (entry) => entry.organization_code },
]

const idOf = ({ sequence }: ApiAuditEntry): string => String(sequence)
const names = ['action', 'actor', 'subject', 'organization'] as const

/** The audit log, newest entries first. */
export default function AuditView() {
  const { filters, of } = useFilters(names)
  const organizations = useOrganizations()
  const [shown, setShown] = useState<ApiAuditEntry>()
  return (
    <>
      <ListView
        title="Audit"
        path="/audit"
        query={filters}
        columns={columns}
        idOf={idOf}
        onOpen={setShown}
        filters={
          <Group gap="xs">
            <TextFilter label="Action" {...of('action')} />
            <TextFilter label="Actor" {...of('actor')} />
            <TextFilter label="Target (id)" {...of('subject')} />
            <LookupFilter label="Organization" lookup={organizations} {...of('organization')} />
          </Group>
        }
        empty="No matching entries"
      />
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={`Entry ${shown?.sequence ?? ''}`}
        size="lg"
      >
        <JsonView value={shown ?? null} label="Audit entry" />
      </Modal>
    </>
  )
}
