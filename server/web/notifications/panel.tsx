import { Button, Group, Stack, Tabs, Text } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { CheckCheckIcon } from 'lucide-react'
import { Link } from 'wouter'
import { apiCall, apiGet } from '../api/call.ts'
import type { ApiNotification, ApiNotifications } from '../api/types.ts'
import { SidePanel } from '../parts/dialog.tsx'
import { ErrorAlert } from '../parts/feedback.tsx'
import { Empty } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { DateTime } from '../parts/times.tsx'
import { Choices } from './choices.tsx'
import { linkOf } from './link-of.ts'
import './notifications.css'

interface PanelProps {
  readonly opened: boolean
  readonly onClose: () => void
}

/** The notifications of the person, and the choice of what to be told. */
export default function Panel({ opened, onClose }: PanelProps) {
  // Opens after it is mounted: a drawer that is open from the start does not return the focus.
  const isMounted = useMounted()
  return (
    <SidePanel opened={isMounted && opened} onClose={onClose} size="min(480px, 100vw)" name="Notifications">
      <Tabs defaultValue="list" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="list">Notifications</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="list">
          <Told onOpen={onClose} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Choices />
        </Tabs.Panel>
      </Tabs>
    </SidePanel>
  )
}

function Told({ onOpen }: { readonly onOpen: () => void }) {
  const queries = useQueryClient()
  const list = useInfiniteQuery({
    queryKey: ['notifications', 'all'],
    queryFn: ({ pageParam, signal }) =>
      apiGet<ApiNotifications>('/notifications', { limit: 30, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const read = useMutation({
    mutationFn: (body: { readonly notification_ids: readonly string[] } | { readonly until: number }) =>
      apiCall('POST', '/notifications/read', { body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['notifications'] }),
  })
  if (list.isError) return <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? []
  const unread = list.data?.pages[0]?.unread ?? 0
  const [newest] = rows
  if (newest === undefined)
    return list.isPending ? null : <Empty>You are told here what concerns you. Nothing yet.</Empty>
  return (
    <Stack gap="xs">
      {read.isError && <ErrorAlert error={read.error} />}
      <Group justify="flex-end">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<CheckCheckIcon size={14} />}
          disabled={unread === 0}
          loading={read.isPending}
          onClick={() => read.mutate({ until: newest.at })}
        >
          Mark all as read
        </Button>
      </Group>
      <ul className="notification-list">
        {rows.map((row) => (
          <li key={row.notification_id}>
            <Row
              row={row}
              onOpen={() => {
                if (!row.is_read) read.mutate({ notification_ids: [row.notification_id] })
                onOpen()
              }}
            />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Stack>
  )
}

function Row({ row, onOpen }: { readonly row: ApiNotification; readonly onOpen: () => void }) {
  const isOpen = !row.is_read && !row.is_settled
  return (
    <Link href={linkOf(row)} onClick={onOpen} className="notification" data-unread={isOpen}>
      <Text component="span" size="sm" fw={isOpen ? 600 : 400} className="outside-text">
        {showInvisible(row.text)}
      </Text>
      <Text component="span" size="xs" c="dimmed">
        {isOpen && 'Unread · '}
        {row.is_settled && 'Settled · '}
        {row.organization_code} · <DateTime at={row.last_at} ago />
      </Text>
    </Link>
  )
}
