import { LogInIcon, BuildingIcon } from 'lucide-react'
import { organizations, providers, type DirectoryKind, NewEntry, RenameEntry } from './edit-entry.tsx'
import { Button, Group } from '@mantine/core'
import { lazy, Suspense, useMemo, useState, type ComponentType } from 'react'
import { TextFilter } from '../lists/filters.tsx'
import { ListView } from '../lists/list-page.tsx'
import { RowLink, type Column } from '../lists/data-row.tsx'
import { useFilters } from '../lists/use-filters.ts'
import { showInvisible } from '../parts/outside-text.ts'
import { TableTime } from '../parts/times.tsx'
import { useMayForAll } from '../session/session.ts'
import type { DirectoryEntry } from '../api/types.ts'

const ApprovalRulesDialog = lazy(() => import('./approval-rules.tsx'))
const CaseTargetsDialog = lazy(() => import('./case-targets.tsx'))

interface CodedListProps {
  /** Opens what else can be edited of an entry. Default: nothing. */
  readonly more?: readonly { readonly text: string; readonly open: (row: DirectoryEntry) => void }[]
  readonly kind: DirectoryKind
  readonly icon: ComponentType
  /** Whether keys of some organizations may rename. */
  readonly mayRename: boolean
}

const idOf = ({ code }: DirectoryEntry): string => code
const names = ['q', 'sort'] as const
const byCode = 'code'
const none = [] as const

/** All organizations or all providers. */
function DirectoryList({ kind, icon, mayRename, more = none }: CodedListProps) {
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
        width: `${84 + 76 * more.length}px`,
        cell: (row) => (
          <Group gap={4} wrap="nowrap">
            {mayRename && (
              <Button size="compact-xs" variant="subtle" onClick={() => setRenamed(row)}>
                Rename
              </Button>
            )}
            {more.map(({ text, open }) => (
              <Button
                key={text}
                size="compact-xs"
                variant="subtle"
                aria-label={`${text} of ${row.code}`}
                onClick={() => open(row)}
              >
                {text}
              </Button>
            ))}
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
  const [edited, setEdited] = useState<{ readonly code: string; readonly what: 'approvals' | 'targets' }>()
  const close = (): void => setEdited(undefined)
  const more = useMemo(
    () => [
      { text: 'Approvals', open: ({ code }: DirectoryEntry) => setEdited({ code, what: 'approvals' }) },
      { text: 'Targets', open: ({ code }: DirectoryEntry) => setEdited({ code, what: 'targets' }) },
    ],
    [setEdited],
  )
  return (
    <>
      <DirectoryList kind={organizations} icon={BuildingIcon} mayRename more={more} />
      <Suspense>
        {edited?.what === 'approvals' && <ApprovalRulesDialog code={edited.code} onClose={close} />}
        {edited?.what === 'targets' && <CaseTargetsDialog code={edited.code} onClose={close} />}
      </Suspense>
    </>
  )
}

/** All organizations share providers, so only keys for all may rename them. */
export function ProvidersView() {
  return <DirectoryList kind={providers} icon={LogInIcon} mayRename={useMayForAll('organizations:write')} />
}
