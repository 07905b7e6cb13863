import { Anchor, Button, Text, Timeline } from '@mantine/core'
import {
  BellIcon,
  ChatBubbleIcon,
  CheckIcon,
  DotFilledIcon,
  LightningBoltIcon,
  Pencil1Icon,
  RocketIcon,
} from '@radix-ui/react-icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState, type ComponentType } from 'react'
import { Link } from 'wouter'
import { get } from '../api/call.ts'
import type { Actor, CaseDetail, CaseEntry, Page } from '../api/types.ts'
import { Refusal } from '../parts/states/refusal.tsx'
import { whoText } from '../parts/who-text.ts'
import { showInvisible } from '../parts/json/show-invisible.ts'
import { Time } from '../parts/time/times.tsx'
import './cases.css'

const icons: Readonly<Record<string, ComponentType>> = {
  opened: RocketIcon,
  alert: BellIcon,
  changed: Pencil1Icon,
  note: ChatBubbleIcon,
  action: LightningBoltIcon,
  run_ended: CheckIcon,
}

/** What happened in a case and who did it, the newest first; what is older than the case brings is fetched when it is asked for. */
export function CaseTimeline({ found, path }: { readonly found: CaseDetail; readonly path: string }) {
  const [wantsOlder, setWantsOlder] = useState(false)
  const older = useInfiniteQuery({
    queryKey: ['case-timeline', path],
    queryFn: ({ pageParam }) => get<Page<CaseEntry>>(`${path}/timeline`, { limit: 200, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    enabled: wantsOlder,
    staleTime: 0,
  })
  const newest = found.timeline.toReversed()
  const pages = older.data?.pages.flatMap(({ data }) => data) ?? []
  const entries = pages.length > newest.length ? pages : newest
  return (
    <>
      <Timeline bulletSize={22} lineWidth={1} className="case-timeline">
        {entries.map((entry, index) => {
          const Icon = icons[entry.kind] ?? DotFilledIcon
          return (
            <Timeline.Item key={entries.length - index} bullet={<Icon />} data-kind={entry.kind}>
              <Text size="sm" className="outside-text case-entry">
                {showInvisible(entry.text)}
              </Text>
              <Text size="xs" c="dimmed" className="outside-text">
                <ByWhom actor={entry.actor} /> · <Time at={entry.at} />
              </Text>
            </Timeline.Item>
          )
        })}
      </Timeline>
      {older.isError && <Refusal error={older.error} />}
      {found.timeline_total > entries.length && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          loading={older.isFetching}
          onClick={() => (wantsOlder ? void older.fetchNextPage() : setWantsOlder(true))}
        >
          Show older: {(found.timeline_total - entries.length).toLocaleString()} more
        </Button>
      )}
    </>
  )
}

/** A run is named by its playbook, and leads to what it did; of people the key stands beside the name, which anybody can choose. */
function ByWhom({ actor: { kind, id, name } }: { readonly actor: Actor }) {
  if (kind === 'run')
    return (
      <>
        playbook{' '}
        <Anchor component={Link} href={`/runs/${id}`} size="xs">
          {showInvisible(name)}
        </Anchor>
      </>
    )
  return showInvisible(whoText({ kind, id, name }))
}
