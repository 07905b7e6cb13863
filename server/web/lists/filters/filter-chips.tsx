import { Group, Pill } from '@mantine/core'
import { showInvisible } from '../../parts/json/show-invisible.ts'

interface FilterChipsProps {
  /** What the list is narrowed to, with what it is called. */
  readonly filters: readonly {
    readonly label: string
    readonly value: string | undefined
    readonly onClear: () => void
  }[]
}

/** Filters of the address that no field shows: each can be read, and cleared. */
export function FilterChips({ filters }: FilterChipsProps) {
  const given = filters.filter(({ value }) => value !== undefined)
  if (given.length === 0) return null
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      {given.map(({ label, value, onClear }) => (
        <Pill
          key={label}
          size="md"
          withRemoveButton
          onRemove={onClear}
          removeButtonProps={{ 'aria-label': `Clear: ${label}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {label}: {showInvisible(value ?? '')}
        </Pill>
      ))}
    </Group>
  )
}
