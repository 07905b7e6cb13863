import { Button, Text, Timeline } from '@mantine/core'
import {
  BellIcon,
  MessageCircleIcon,
  CheckIcon,
  SquareCheckIcon,
  Link2Icon,
  DotIcon,
  LogInIcon,
  LogOutIcon,
  FileIcon,
  ZapIcon,
  PencilIcon,
  RocketIcon,
} from 'lucide-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState, type ComponentType } from 'react'
import { apiGet } from '../api/call.ts'
import type { ApiActor, ApiCaseDetail, ApiCaseEntry, ApiPage } from '../api/types.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { actorText, showInvisible } from '../parts/outside-text.ts'
import { Markdown } from '../parts/markdown.tsx'
import { DateTime } from '../parts/times.tsx'
import { isComposed } from './notes/composed-note.ts'
import './cases.css'
import { TextLink } from '../parts/layout.tsx'

const icons: Readonly<Record<string, ComponentType>> = {
  opened: RocketIcon,
  alert: BellIcon,
  changed: PencilIcon,
  note: MessageCircleIcon,
  decision: MessageCircleIcon,
  action: ZapIcon,
  file: FileIcon,
  run_ended: CheckIcon,
  merged: LogInIcon,
  split: LogOutIcon,
  task: SquareCheckIcon,
  link: Link2Icon,
}

/** The timeline, newest entries first. Older entries are loaded on request. */
export function CaseTimeline({ found, path }: { readonly found: ApiCaseDetail; readonly path: string }) {
  const [wantsOlder, setWantsOlder] = useState(false)
  const older = useInfiniteQuery({
    queryKey: ['case-timeline', path],
    queryFn: ({ pageParam }) =>
      apiGet<ApiPage<ApiCaseEntry>>(`${path}/timeline`, { limit: 200, cursor: pageParam }),
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
          const Icon = icons[entry.kind] ?? DotIcon
          return (
            <Timeline.Item key={entries.length - index} bullet={<Icon />} data-kind={entry.kind}>
              <EntryText entry={entry} />
              <Text size="xs" c="dimmed" className="outside-text">
                <ByWhom actor={entry.actor} /> · <DateTime at={entry.at} />
              </Text>
            </Timeline.Item>
          )
        })}
      </Timeline>
      {older.isError && <ErrorAlert error={older.error} />}
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

/** The kinds of actors whose notes are rendered. What others write may come from an attacker. */
const writers: ReadonlySet<string> = new Set(['account', 'api_key', 'command'])

function EntryText({ entry: { kind, text, actor, mentions } }: { readonly entry: ApiCaseEntry }) {
  if (kind !== 'note' || !writers.has(actor.kind) || isComposed(text))
    return (
      <Text size="sm" className="outside-text case-entry">
        {showInvisible(text)}
      </Text>
    )
  return (
    <div className="case-entry">
      <Markdown text={text} />
      {mentions.length > 0 && (
        <Text size="xs" c="dimmed" className="outside-text" mt={4}>
          Mentions {mentions.map(({ name }) => showInvisible(name)).join(', ')}
        </Text>
      )}
    </div>
  )
}

/** A run links to its page. Others show the key beside the name, because anyone can choose a name. */
function ByWhom({ actor: { kind, id, name } }: { readonly actor: ApiActor }) {
  if (kind === 'run')
    return (
      <>
        playbook{' '}
        <TextLink href={`/runs/${id}`} size="xs">
          {showInvisible(name)}
        </TextLink>
      </>
    )
  return showInvisible(actorText({ kind, id, name }))
}
