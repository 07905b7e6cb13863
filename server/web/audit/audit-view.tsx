import { Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { LookupFilter, TypedFilter } from '../lists/filters/filter-fields.tsx'
import { ListPage } from '../lists/page/list-page.tsx'
import { useFilters } from '../lists/filters/use-filters.ts'
import { useOrganizations } from '../api/lookups.ts'
import { breakable } from '../parts/json/breakable.tsx'
import { JsonView } from '../parts/json/json-view.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { When } from '../parts/time/when.tsx'
import type { Column } from '../lists/table/column.ts'

interface Named {
  readonly kind: string
  readonly id: string | null
  readonly name: string | null
}

interface AuditEntry {
  readonly sequence: number
  readonly at: number
  readonly action: string
  readonly actor: Named
  readonly subject: Named
  readonly organization_code: string | null
}

/** A name, with what it is the name of before it. */
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

const columns: readonly Column<AuditEntry>[] = [
  { title: 'NUMBER', width: '70px', cell: ({ sequence }) => sequence },
  { title: 'WHEN', width: '104px', cell: ({ at }) => <When at={at} /> },
  { title: 'ACTION', width: 'minmax(140px, 1fr)', cell: ({ action }) => action },
  { title: 'ACTOR', width: 'minmax(140px, 1.4fr)', cell: ({ actor }) => <NameOf {...actor} /> },
  { title: 'TARGET', width: 'minmax(140px, 1.4fr)', cell: ({ subject }) => <NameOf {...subject} /> },
  { title: 'ORG', width: '76px', isExtra: true, cell: (entry) => entry.organization_code },
]

const idOf = ({ sequence }: AuditEntry): string => String(sequence)
const names = ['action', 'actor', 'subject', 'organization'] as const

/** What people and destructive skills did, the newest first. */
export default function AuditView() {
  const { filters, of } = useFilters(names)
  const organizations = useOrganizations()
  const [shown, setShown] = useState<AuditEntry>()
  return (
    <>
      <ListPage
        title="Audit"
        path="/audit"
        query={filters}
        columns={columns}
        idOf={idOf}
        onOpen={setShown}
        filters={
          <Group gap="xs">
            <TypedFilter label="Action" {...of('action')} />
            <TypedFilter label="Actor" {...of('actor')} />
            <TypedFilter label="Target (id)" {...of('subject')} />
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
