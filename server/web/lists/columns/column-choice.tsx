import { ActionIcon, Button, Checkbox, Group, Stack } from '@mantine/core'
import { ChevronDownIcon, ChevronUpIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { movedTitle } from './chosen-columns.ts'
import type { ColumnChoiceProps } from './columns-menu.tsx'

/** Checkboxes and an order for the columns of a list: shown ones first, in their order. */
export default function ColumnChoice({ all, shown, onChange }: ColumnChoiceProps) {
  const hidden = all.filter((title) => !shown.includes(title))
  return (
    <Stack gap={6}>
      {[...shown, ...hidden].map((title) => {
        const place = shown.indexOf(title)
        return (
          <Group key={title} gap={4} wrap="nowrap" justify="space-between">
            <Checkbox
              size="xs"
              label={title}
              checked={place !== -1}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...shown, title] : shown.filter((each) => each !== title))
              }
            />
            {place !== -1 && (
              <Group gap={2} wrap="nowrap">
                <Move
                  label={`Move ${title} up`}
                  isPossible={place > 0}
                  icon={<ChevronUpIcon />}
                  onMove={() => onChange(movedTitle(shown, title, -1))}
                />
                <Move
                  label={`Move ${title} down`}
                  isPossible={place < shown.length - 1}
                  icon={<ChevronDownIcon />}
                  onMove={() => onChange(movedTitle(shown, title, 1))}
                />
              </Group>
            )}
          </Group>
        )
      })}
      <Button size="compact-xs" variant="default" onClick={() => onChange(null)}>
        Default columns
      </Button>
    </Stack>
  )
}

interface MoveProps {
  readonly label: string
  readonly isPossible: boolean
  readonly icon: ReactNode
  readonly onMove: () => void
}

/** Stays focusable at the edge, so that the keyboard focus is not lost there. */
function Move({ label, isPossible, icon, onMove }: MoveProps) {
  return (
    <ActionIcon
      size="sm"
      variant="subtle"
      color="gray"
      aria-label={label}
      aria-disabled={!isPossible}
      onClick={() => isPossible && onMove()}
    >
      {icon}
    </ActionIcon>
  )
}
