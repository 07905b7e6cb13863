import { Box, Button, Group, Text, Timeline, Stack, Textarea } from '@mantine/core'
import {
  BellIcon,
  ChatBubbleIcon,
  CheckIcon,
  CheckboxIcon,
  Link2Icon,
  DotFilledIcon,
  EnterIcon,
  ExitIcon,
  FileIcon,
  LightningBoltIcon,
  Pencil1Icon,
  RocketIcon,
} from '@radix-ui/react-icons'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState, type ComponentType } from 'react'
import { apiGet, apiCall } from '../api/call.ts'
import type { ApiActor, ApiCaseDetail, ApiCaseEntry, ApiPage } from '../api/types.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { actorText, showInvisible } from '../parts/outside-text.ts'
import { Markdown } from '../parts/markdown.tsx'
import { DateTime } from '../parts/times.tsx'
import './cases.css'
import { trimmedText, useUnsavedInput, useIdempotencyKey, handleSubmit } from '../forms/form-state.ts'
import { TextLink } from '../parts/layout.tsx'

const icons: Readonly<Record<string, ComponentType>> = {
  opened: RocketIcon,
  alert: BellIcon,
  changed: Pencil1Icon,
  note: ChatBubbleIcon,
  action: LightningBoltIcon,
  file: FileIcon,
  run_ended: CheckIcon,
  merged: EnterIcon,
  split: ExitIcon,
  task: CheckboxIcon,
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
          const Icon = icons[entry.kind] ?? DotFilledIcon
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
const writers: ReadonlySet<string> = new Set(['api_key', 'person', 'command'])

function EntryText({ entry: { kind, text, actor, mentions } }: { readonly entry: ApiCaseEntry }) {
  if (kind !== 'note' || !writers.has(actor.kind))
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

interface NoteFormProps {
  /** Id of the case. */
  readonly id: string
  readonly path: string
  readonly onDone: () => void
}

/** Adds a note to the timeline. Sending it twice adds it once. */
export function NoteForm({ id, path, onDone }: NoteFormProps) {
  const [text, setText, forget] = useUnsavedInput({
    place: `Note on case ${id.toUpperCase()}`,
    empty: '',
    textOf: trimmedText,
  })
  const [wantsPreview, setPreview] = useState(false)
  const isEmpty = text.trim() === ''
  const isPreview = wantsPreview && !isEmpty
  const once = useIdempotencyKey()
  const add = useMutation({
    mutationFn(note: string) {
      const body = { text: note }
      return apiCall('POST', `${path}/notes`, { body, headers: once.headersFor(body) })
    },
    onSuccess(_, sent) {
      // Text typed while the note is sent becomes the next note.
      forget(sent)
      setPreview(false)
      once.done()
      onDone()
    },
  })
  return (
    <form onSubmit={handleSubmit(() => add.mutate(text))}>
      <Stack gap="xs" align="flex-end">
        {isPreview ? (
          <Box w="100%" role="region" aria-label="Preview" className="note-preview">
            <Markdown text={text} />
          </Box>
        ) : (
          <Textarea
            aria-label="Note"
            placeholder="Write a note in Markdown, @name mentions a person"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autosize
            minRows={2}
            maxRows={8}
            maxLength={10_000}
            w="100%"
          />
        )}
        {add.isError && <ErrorAlert error={add.error} />}
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={isEmpty} onClick={() => setPreview(!isPreview)}>
            {isPreview ? 'Write' : 'Preview'}
          </Button>
          <Button type="submit" size="xs" loading={add.isPending} disabled={isEmpty}>
            Add note
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
