import { Anchor, Button, Group, Stack, Table, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Page } from '../api/types.ts'
import { Refusal } from '../parts/refusal.tsx'
import { Time } from '../parts/times.tsx'
import { Differences } from './editor/differences.tsx'
import type { Playbook, PlaybookDetail } from './playbook.ts'

/** All versions that were ever in force, and how they differ from the one that is shown. */
export function Versions({ playbook }: { readonly playbook: PlaybookDetail }) {
  const [compared, setCompared] = useState<string>()
  const versions = useQuery({
    queryKey: ['versions', playbook.name],
    queryFn: () =>
      get<Page<Playbook>>(`/playbooks/${encodeURIComponent(playbook.name)}/versions`, { limit: 50 }),
  })
  const other = useQuery({
    queryKey: ['playbook', compared],
    queryFn: () => get<PlaybookDetail>(`/playbooks/${compared ?? ''}`),
    enabled: compared !== undefined,
    staleTime: Infinity,
  })
  if (versions.isLoadingError) return <Refusal error={versions.error} />
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Versions
      </Title>
      <Table.ScrollContainer minWidth={400} mah={260}>
        <Table aria-label="Versions" verticalSpacing={4}>
          <Table.Tbody>
            {versions.data?.data.map(({ hash, created_at: at }) => (
              <Table.Tr key={hash}>
                <Table.Td>
                  <Anchor component={Link} href={`/playbooks/${hash}`} size="sm" ff="monospace">
                    {hash.slice(0, 12)}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <Time at={at} />
                </Table.Td>
                <Table.Td>
                  {hash === playbook.hash ? (
                    'shown'
                  ) : (
                    <Button
                      size="compact-xs"
                      variant="default"
                      onClick={() => setCompared(hash === compared ? undefined : hash)}
                    >
                      {hash === compared ? 'Hide differences' : 'Compare'}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {other.isLoadingError && <Refusal error={other.error} />}
      {compared !== undefined && other.data !== undefined && (
        <Group grow>
          <Differences before={other.data.source} after={playbook.source} />
        </Group>
      )}
    </Stack>
  )
}
