import { Text, Timeline } from '@mantine/core'
import {
  BellIcon,
  ChatBubbleIcon,
  CheckIcon,
  DotFilledIcon,
  Pencil1Icon,
  RocketIcon,
} from '@radix-ui/react-icons'
import type { ComponentType } from 'react'
import type { CaseDetail } from '../api/types.ts'
import { showInvisible } from '../parts/show-invisible.ts'
import { Time } from '../parts/times.tsx'

const icons: Readonly<Record<string, ComponentType>> = {
  opened: RocketIcon,
  alert: BellIcon,
  changed: Pencil1Icon,
  note: ChatBubbleIcon,
  run_ended: CheckIcon,
}

/** What happened in a case, the newest first. */
export function CaseTimeline({ found }: { readonly found: CaseDetail }) {
  const entries = found.timeline.toReversed()
  return (
    <>
      <Timeline bulletSize={22} lineWidth={2}>
        {entries.map((entry, index) => {
          const Icon = icons[entry.kind] ?? DotFilledIcon
          return (
            <Timeline.Item key={entries.length - index} bullet={<Icon />}>
              <Text size="sm" className="outside-text">
                {showInvisible(entry.text)}
              </Text>
              <Text size="xs" c="dimmed" className="outside-text">
                {byWhom(entry.by)} · <Time at={entry.at} />
              </Text>
            </Timeline.Item>
          )
        })}
      </Timeline>
      {found.timeline_total > entries.length && (
        <Text size="xs" c="dimmed">
          {found.timeline_total - entries.length} older entries are in the JSON.
        </Text>
      )}
    </>
  )
}

/** `run 01a1ff58…`: whole ids of runs tell people nothing. */
const byWhom = (by: string): string => showInvisible(by.replace(/^(run [\da-f]{8})[\da-f-]{28}$/, '$1…'))
