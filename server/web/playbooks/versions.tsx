import { Anchor, Badge, Button, Group, Stack } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { actorText } from '../parts/outside-text.ts'
import { apiGet } from '../api/call.ts'
import type { ApiPage, ApiPlaybook, ApiPlaybookDetail } from '../api/types.ts'
import { ErrorAlert, ShowMore } from '../parts/feedback.tsx'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { OutsideText } from '../parts/text-view.tsx'
import { TableTime } from '../parts/times.tsx'
import { RollBack } from './draft/roll-back.tsx'
import { Differences } from './editor/differences.tsx'

interface VersionsProps {
  readonly playbook: ApiPlaybookDetail
  /** Whether old versions can be restored. */
  readonly mayRestore: boolean
}

const short = (hash: string): string => hash.slice(0, 12)

/** All published versions, with a diff to the displayed one. */
export function Versions({ playbook, mayRestore }: VersionsProps) {
  const [compared, setCompared] = useState<string>()
  const [rolledBack, setRolledBack] = useState<ApiPlaybook>()
  const versions = useInfiniteQuery({
    queryKey: ['versions', playbook.name],
    queryFn: ({ pageParam: cursor }) =>
      apiGet<ApiPage<ApiPlaybook>>(`/playbooks/${encodeURIComponent(playbook.name)}/versions`, {
        limit: 200,
        cursor,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const rows = versions.data?.pages.flatMap(({ data }) => data) ?? []
  const total = versions.data?.pages[0]?.total ?? 0
  const other = useQuery({
    queryKey: ['playbook', compared],
    queryFn: () => apiGet<ApiPlaybookDetail>(`/playbooks/${compared ?? ''}`),
    enabled: compared !== undefined,
    staleTime: Infinity,
  })
  if (versions.isLoadingError) return <ErrorAlert error={versions.error} />
  return (
    <SmallTable
      title="Versions"
      {...(versions.data && { count: total })}
      rows={rows}
      columns={columnsOf({
        shown: playbook.hash,
        mayRestore,
        compared,
        onCompare: setCompared,
        onRollBack: setRolledBack,
      })}
      idOf={(version) => version.hash}
      mah={320}
      empty="Loading …"
    >
      <ShowMore hidden={total - rows.length} query={versions} />
      {other.isLoadingError && <ErrorAlert error={other.error} />}
      {compared !== undefined && other.data !== undefined && (
        <Stack p="md">
          <Differences
            before={other.data.source}
            after={playbook.source}
            labels={[short(compared), `${short(playbook.hash)} (shown above)`]}
          />
        </Stack>
      )}
      <RollBack version={rolledBack} onClose={() => setRolledBack(undefined)} />
    </SmallTable>
  )
}

interface ColumnOptions {
  /** Hash of the version that the page shows. */
  readonly shown: string
  readonly mayRestore: boolean
  readonly compared: string | undefined
  readonly onCompare: (hash: string | undefined) => void
  readonly onRollBack: (version: ApiPlaybook) => void
}

function columnsOf({ shown, mayRestore, compared, onCompare, onRollBack }: ColumnOptions) {
  const columns: readonly SmallColumn<ApiPlaybook>[] = [
    {
      title: 'Version',
      cell: ({ hash, in_force: isLive }) => (
        <Group gap="xs">
          <Anchor component={Link} href={`/playbooks/${hash}`} size="sm" ff="monospace">
            {short(hash)}
          </Anchor>
          {isLive && <Badge color="green">Live</Badge>}
          {hash === shown && <Badge color="gray">Shown</Badge>}
        </Group>
      ),
    },
    {
      title: 'Published',
      isNarrow: true,
      cell: (version) => <TableTime at={version.put_in_force_at ?? version.created_at} />,
    },
    {
      title: 'By',
      cell: ({ put_in_force_actor: by, origin }) =>
        by?.kind === 'server' && origin === 'file'
          ? 'playbooks folder'
          : by !== null && <OutsideText text={actorText(by)} />,
    },
    {
      title: 'Why',
      cell: ({ put_in_force_reason: reason }) => reason !== null && <OutsideText text={reason} />,
    },
    {
      title: 'Actions',
      isNarrow: true,
      cell: (version) => {
        const { hash, in_force: isLive } = version
        return (
          <Group gap="xs" wrap="nowrap">
            {hash !== shown && (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => onCompare(hash === compared ? undefined : hash)}
              >
                {hash === compared ? 'Hide differences' : 'Compare'}
              </Button>
            )}
            {mayRestore && !isLive && (
              <Button size="compact-xs" variant="default" onClick={() => onRollBack(version)}>
                Roll back
              </Button>
            )}
          </Group>
        )
      },
    },
  ]
  return columns
}
