import { Button, CloseButton, Divider, Group, Popover, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CalendarIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import { useZone, zoneName } from '../../parts/time/zone.ts'
import { spanChoices } from '../rows/since.ts'
import { inputText, inputTime, isRange, rangeText, type TimeRange } from './time-range.ts'

/** Filters that a list has where it can be narrowed to times. */
export const timeNames = ['since', 'created_after', 'created_before'] as const

type Change = Readonly<Record<(typeof timeNames)[number], string | null>>

const anyTime: Change = { since: null, created_after: null, created_before: null }

interface TimeFilterProps {
  /** What happened then, e.g. `Opened`. */
  readonly label: string
  readonly range: TimeRange
  readonly onChange: (change: Change) => void
}

/** A span of time up to now, or from one time to another; what is chosen can be read, and cleared. */
export function TimeFilter({ label, range, onChange }: TimeFilterProps) {
  const [opened, { toggle, close }] = useDisclosure()
  const zone = useZone()
  const text = showInvisible(rangeText(range, zone))
  const choose = (change: Partial<Change>): void => {
    close()
    onChange({ ...anyTime, ...change })
  }
  return (
    <Group gap={2} wrap="nowrap" role="group" aria-label={label}>
      <Popover opened={opened} onChange={(is) => !is && close()} position="bottom-start" trapFocus>
        <Popover.Target>
          <Button
            size="xs"
            variant="default"
            leftSection={<CalendarIcon />}
            onClick={toggle}
            {...(!isRange(range) && { c: 'red' })}
          >
            {text === '' ? label : text}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap={6}>
            <Group gap={6}>
              {spanChoices.map(({ value, label }) => (
                <Button
                  key={value}
                  size="compact-xs"
                  variant={value === range.since ? 'filled' : 'default'}
                  onClick={() => choose({ since: value })}
                >
                  {label}
                </Button>
              ))}
            </Group>
            <Divider />
            <FromTo range={range} onChange={choose} />
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {text !== '' && <CloseButton size="xs" aria-label="Clear the time" onClick={() => onChange(anyTime)} />}
    </Group>
  )
}

interface FromToProps {
  readonly range: TimeRange
  readonly onChange: (change: Partial<Change>) => void
}

function FromTo({ range, onChange }: FromToProps) {
  const zone = useZone()
  const [from, setFrom] = useState(inputText(range.created_after, zone))
  const [to, setTo] = useState(inputText(range.created_before, zone))
  const name = zoneName(zone, Date.now())
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChange({ created_after: inputTime(from, zone), created_before: inputTime(to, zone) })
      }}
    >
      <Stack gap={6}>
        <TextInput
          size="xs"
          type="datetime-local"
          step={1}
          label={`From (${name})`}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          type="datetime-local"
          step={1}
          label={`Before (${name})`}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button size="xs" type="submit" disabled={from === '' && to === ''}>
          Show these times
        </Button>
      </Stack>
    </form>
  )
}
