import { Button, Group } from '@mantine/core'
import { useMemo, useState, type ComponentType } from 'react'
import { SearchFilter } from '../lists/filters/filter-fields.tsx'
import { ListPage } from '../lists/page/list-page.tsx'
import { RowLink } from '../lists/table/row-link.tsx'
import { useFilters } from '../lists/filters/use-filters.ts'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { When } from '../parts/time/when.tsx'
import { useMayForAll } from '../session/session.ts'
import type { Coded, CodedKind } from './coded.ts'
import { NewCoded } from './new-coded.tsx'
import { RenameCoded } from './rename-coded.tsx'
import type { Column } from '../lists/table/column.ts'

interface CodedListProps {
  readonly kind: CodedKind
  readonly icon: ComponentType
  /** Whether keys may that are limited to organizations. */
  readonly mayRename: boolean
}

const idOf = ({ code }: Coded): string => code
const names = ['q', 'sort'] as const
const byCode = 'code'

/** All organizations or all providers of a key, with what administrators do about them. */
export function CodedList({ kind, icon, mayRename }: CodedListProps) {
  const { filters, choose, of } = useFilters(names)
  const [renamed, setRenamed] = useState<Coded>()
  const mayMake = useMayForAll()
  const columns = useMemo(
    (): readonly Column<Coded>[] => [
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
        cell: (row) => <When at={row.created_at} />,
      },
      {
        title: '',
        width: '84px',
        cell: (row) =>
          mayRename && (
            <Button size="compact-xs" variant="subtle" onClick={() => setRenamed(row)}>
              Rename
            </Button>
          ),
      },
    ],
    [kind, mayRename],
  )
  return (
    <>
      <ListPage
        title={kind.title}
        path={kind.path}
        query={filters}
        columns={columns}
        idOf={idOf}
        sort={filters.sort ?? byCode}
        onSort={(by) => choose({ sort: by === byCode ? null : by })}
        filters={
          <Group gap="xs">
            <SearchFilter
              label={`Search ${kind.title.toLowerCase()}`}
              placeholder="Search code, name"
              {...of('q')}
            />
          </Group>
        }
        actions={mayMake && <NewCoded kind={kind} />}
        icon={icon}
        empty={`No matching ${kind.title.toLowerCase()}`}
      />
      {renamed !== undefined && (
        <RenameCoded key={renamed.code} kind={kind} before={renamed} onClose={() => setRenamed(undefined)} />
      )}
    </>
  )
}
