import { CloseButton, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { useEffect, useState } from 'react'
import { useOrganizations, useProviders } from '../api/lookups.ts'
import { alertStatuses } from '../parts/states.tsx'

/** Names of the query parameters of GET alerts that the view offers; they stand in the address under the same names. */
export const filterNames = [
  'q',
  'organization',
  'provider',
  'status',
  'type',
  'case',
  'created_after',
  'created_before',
  'sort',
] as const

export type FilterName = (typeof filterNames)[number]

interface AlertFiltersProps {
  readonly filters: Partial<Record<FilterName, string>>
  readonly onSet: (name: FilterName, value: string | null) => void
}

const statuses = Object.entries(alertStatuses).map(([value, { text }]) => ({ value, label: text }))

export function AlertFilters({ filters, onSet }: AlertFiltersProps) {
  const organizations = useOrganizations()
  const providers = useProviders()
  return (
    <Group gap="xs">
      <Search value={filters.q ?? ''} onChange={(value) => onSet('q', value)} />
      <Select
        aria-label="Organization"
        placeholder="Organization"
        data={organizations.map(({ code }) => code)}
        value={filters.organization ?? null}
        onChange={(value) => onSet('organization', value)}
        clearable
        searchable
        size="xs"
        w={140}
      />
      <Select
        aria-label="Provider"
        placeholder="Provider"
        data={providers.map(({ code }) => code)}
        value={filters.provider ?? null}
        onChange={(value) => onSet('provider', value)}
        clearable
        searchable
        size="xs"
        w={140}
      />
      <Select
        aria-label="Status"
        placeholder="Status"
        data={statuses}
        value={filters.status ?? null}
        onChange={(value) => onSet('status', value)}
        clearable
        size="xs"
        w={130}
      />
      <Typed label="Alert name" value={filters.type ?? ''} onChange={(value) => onSet('type', value)} />
      <Typed label="Case" value={filters.case ?? ''} onChange={(value) => onSet('case', value)} />
    </Group>
  )
}

interface TypedProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Text that is used once somebody stops typing. */
function useTyped({ value, onChange }: TypedProps) {
  const [text, setText] = useState(value)
  const tell = useDebouncedCallback(onChange, 300)
  useEffect(() => setText(value), [value])
  const change = (next: string): void => {
    setText(next)
    tell(next.trim())
  }
  return [text, change] as const
}

function Search(props: TypedProps) {
  const [text, change] = useTyped(props)
  return (
    <TextInput
      aria-label="Search in alerts"
      placeholder="Words in id, name or content"
      leftSection={<MagnifyingGlassIcon />}
      rightSection={text !== '' && <CloseButton size="xs" aria-label="Clear" onClick={() => change('')} />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      size="xs"
      w={260}
      maxLength={200}
    />
  )
}

function Typed({ label, ...props }: TypedProps & { readonly label: string }) {
  const [text, change] = useTyped(props)
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      size="xs"
      w={130}
    />
  )
}
