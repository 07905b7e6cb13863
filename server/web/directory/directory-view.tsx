import { ApprovalRulesDialog } from './approval-rules.tsx'
import { EnterIcon, HomeIcon } from '@radix-ui/react-icons'
import { organizations, providers, type DirectoryKind, NewEntry, RenameEntry } from './edit-entry.tsx'
import { Button, Group } from '@mantine/core'
import { useMemo, useState, type ComponentType } from 'react'
import { TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { TableTime } from '../parts/times.tsx'
import { useMayForAll } from '../session/session.ts'
import type { DirectoryEntry } from '../api/types.ts'

interface CodedListProps {
  /** Opens what else can be edited of an entry. Default: nothing. */
  readonly more?: { readonly text: string; readonly open: (row: DirectoryEntry) => void } | undefined
  readonly kind: DirectoryKind
  readonly icon: ComponentType
  /** Whether keys of some organizations may rename. */
  readonly mayRename: boolean
}

const idOf = ({ code }: DirectoryEntry): string => code
const names = ['q', 'sort'] as const
const byCode = 'code'

/** All organizations or all providers. */
function DirectoryList({ kind, icon, mayRename, more }: CodedListProps) {
  const { filters, choose, of } = useFilters(names)
  const [renamed, setRenamed] = useState<DirectoryEntry>()
  const mayMake = useMayForAll('organizations:write')
  const columns = useMemo(
    (): readonly Column<DirectoryEntry>[] => [
      {
        title: 'CODE',
        width: 'minmax(120px, 1fr)',
        sort: 'code',
        cell: ({ code }) => <RowLink href={`/alerts?${kind.filter}=${code}`} text={code} isMain />,
      },
      { title: 'NAME', width: 'minmax(160px, 3fr)', sort: 'name', cell: ({ name }) => showInvisible(name) },
      {
        title: 'CREATED',
        width: '104px',
        isExtra: true,
        sort: 'created_at',
        cell: (row) => <TableTime at={row.created_at} />,
      },
      {
        title: '',
        width: more === undefined ? '84px' : '168px',
        cell: (row) => (
          <Group gap={4} wrap="nowrap">
            {mayRename && (
              <Button size="compact-xs" variant="subtle" onClick={() => setRenamed(row)}>
                Rename
              </Button>
            )}
            {more !== undefined && (
              <Button size="compact-xs" variant="subtle" onClick={() => more.open(row)}>
                {more.text}
              </Button>
            )}
          </Group>
        ),
      },
    ],
    [kind, mayRename, more],
  )
  return (
    <>
      <ListView
        title={kind.title}
        path={kind.path}
        query={filters}
        columns={columns}
        idOf={idOf}
        sort={filters.sort ?? byCode}
        onSort={(by) => choose({ sort: by === byCode ? null : by })}
        filters={
          <Group gap="xs">
            <TextFilter
              label={`Search ${kind.title.toLowerCase()}`}
              placeholder="Search code, name"
              {...of('q')}
            />
          </Group>
        }
        actions={mayMake && <NewEntry kind={kind} />}
        icon={icon}
        empty={`No matching ${kind.title.toLowerCase()}`}
      />
      {renamed !== undefined && (
        <RenameEntry key={renamed.code} kind={kind} before={renamed} onClose={() => setRenamed(undefined)} />
      )}
    </>
  )
}

/** Keys of some organizations may rename these. */
export function OrganizationsView() {
  const [edited, setEdited] = useState<string>()
  const more = useMemo(
    () => ({ text: 'Approvals', open: ({ code }: DirectoryEntry) => setEdited(code) }),
    [setEdited],
  )
  return (
    <>
      <DirectoryList kind={organizations} icon={HomeIcon} mayRename more={more} />
      {edited !== undefined && <ApprovalRulesDialog code={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}

/** All organizations share providers, so only keys for all may rename them. */
export function ProvidersView() {
  return <DirectoryList kind={providers} icon={EnterIcon} mayRename={useMayForAll('organizations:write')} />
}
