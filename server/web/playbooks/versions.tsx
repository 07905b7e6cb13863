import { whoText } from '../parts/who-text.ts'
import { Anchor, Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { Section } from '../parts/section.tsx'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { When } from '../parts/time/when.tsx'
import { Differences } from './editor/differences.tsx'
import type { Playbook, PlaybookDetail } from './playbook.ts'

interface VersionsProps {
  readonly playbook: PlaybookDetail
  /** Whether an old version may be taken up again. */
  readonly mayRestore: boolean
}

const short = (hash: string): string => hash.slice(0, 12)

/** All versions that were ever in force, who put them there, and how they differ from the one that is shown. */
export function Versions({ playbook, mayRestore }: VersionsProps) {
  const [compared, setCompared] = useState<string>()
  const versions = useInfiniteQuery({
    queryKey: ['versions', playbook.name],
    queryFn: ({ pageParam: cursor }) =>
      get<Page<Playbook>>(`/playbooks/${encodeURIComponent(playbook.name)}/versions`, { limit: 200, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const rows = versions.data?.pages.flatMap(({ data }) => data) ?? []
  const total = versions.data?.pages[0]?.total ?? 0
  const other = useQuery({
    queryKey: ['playbook', compared],
    queryFn: () => get<PlaybookDetail>(`/playbooks/${compared ?? ''}`),
    enabled: compared !== undefined,
    staleTime: Infinity,
  })
  if (versions.isLoadingError) return <Refusal error={versions.error} />
  return (
    <Section title="Versions" {...(versions.data && { count: total })} isFlush>
      <Table.ScrollContainer minWidth={560} mah={320}>
        <Table aria-label="Versions" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Published</Table.Th>
              <Table.Th>By</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ hash, created_at: seen, put_in_force_at: at, put_in_force_actor: by, ...rest }) => (
              <Table.Tr key={hash}>
                <Table.Td>
                  <Group gap="xs">
                    <Anchor component={Link} href={`/playbooks/${hash}`} size="sm" ff="monospace">
                      {short(hash)}
                    </Anchor>
                    {rest.in_force && <Badge color="green">Live</Badge>}
                    {hash === playbook.hash && <Badge color="gray">Shown</Badge>}
                  </Group>
                </Table.Td>
                <Table.Td>
                  <When at={at ?? seen} />
                </Table.Td>
                <Table.Td className="outside-text">{by === null ? '' : showInvisible(whoText(by))}</Table.Td>
                <Table.Td>
                  <Group gap="xs" justify="flex-end" wrap="nowrap">
                    {hash !== playbook.hash && (
                      <Button
                        size="compact-xs"
                        variant="default"
                        onClick={() => setCompared(hash === compared ? undefined : hash)}
                      >
                        {hash === compared ? 'Hide differences' : 'Compare'}
                      </Button>
                    )}
                    {mayRestore && !rest.in_force && (
                      <Button
                        component={Link}
                        href={`/playbooks/${playbook.name}?restore=${hash}`}
                        size="compact-xs"
                        variant="default"
                      >
                        Restore
                      </Button>
                    )}
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {versions.isFetchNextPageError && <Refusal error={versions.error} />}
      {versions.hasNextPage && (
        <Group p="sm">
          <Text size="sm" c="dimmed">
            {Math.max(0, total - rows.length).toLocaleString()} more
          </Text>
          <Button
            size="xs"
            variant="default"
            loading={versions.isFetchingNextPage}
            onClick={() => void versions.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
      {other.isLoadingError && <Refusal error={other.error} />}
      {compared !== undefined && other.data !== undefined && (
        <Stack p="md">
          <Differences
            before={other.data.source}
            after={playbook.source}
            labels={[short(compared), `${short(playbook.hash)} (shown above)`]}
          />
        </Stack>
      )}
    </Section>
  )
}
