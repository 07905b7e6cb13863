import { Button, CloseButton, Divider, Group, Popover, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CalendarIcon } from 'lucide-react'
import { useState } from 'react'
import { showInvisible } from '../parts/outside-text.ts'
import { useZone, zoneName } from '../parts/time.ts'
import {
  spanChoices,
  dateInputText,
  dateInputTime,
  isValidRange,
  rangeText,
  type ListTimes,
} from './time-range.ts'
import { handleSubmit } from '../forms/form-state.ts'

/** Filter names of lists with times. */
export const timeNames = ['since', 'created_after', 'created_before'] as const

type Change = Readonly<Record<(typeof timeNames)[number], string | null>>

const anyTime: Change = { since: null, created_after: null, created_before: null }

interface TimeFilterProps {
  /** Label, e.g. `Opened`. */
  readonly label: string
  readonly range: ListTimes
  readonly onChange: (change: Change) => void
}

/** A filter for a time span up to now, or between two times. */
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
            {...(!isValidRange(range) && { c: 'red' })}
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
      {text !== '' && <CloseButton size="xs" aria-label="Clear time" onClick={() => onChange(anyTime)} />}
    </Group>
  )
}

interface FromToProps {
  readonly range: ListTimes
  readonly onChange: (change: Partial<Change>) => void
}

function FromTo({ range, onChange }: FromToProps) {
  const zone = useZone()
  const [from, setFrom] = useState(dateInputText(range.created_after, zone))
  const [to, setTo] = useState(dateInputText(range.created_before, zone))
  const name = zoneName(zone, Date.now())
  return (
    <form
      onSubmit={handleSubmit(() =>
        onChange({ created_after: dateInputTime(from, zone), created_before: dateInputTime(to, zone) }),
      )}
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
          Apply
        </Button>
      </Stack>
    </form>
  )
}
