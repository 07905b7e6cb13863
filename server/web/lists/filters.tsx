import { CloseButton, Select, TextInput, Button, Group, Pill } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { SearchIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { showInvisible } from '../parts/outside-text.ts'
import type { CodeOptions } from '../api/lookups.ts'

interface FilterProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | null) => void
  readonly onType: (value: string) => void
}

/** Text that is applied after a pause in typing. */
function useTyped({ value = '', onType }: Pick<FilterProps, 'value' | 'onType'>) {
  const [text, setText] = useState(value)
  const tell = useDebouncedCallback(onType, 300)
  // The applied value is trimmed. Keep spaces that are still being typed.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value])
  const change = (next: string): void => {
    setText(next)
    tell(next.trim())
  }
  return [text, change] as const
}

interface TextFilterProps extends FilterProps {
  /** For a full-text search. */
  readonly placeholder?: string
}

/** An exact value, or a full-text search. */
export function TextFilter({ label, placeholder, ...props }: TextFilterProps) {
  const [text, change] = useTyped(props)
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder ?? label}
      leftSection={placeholder !== undefined && <SearchIcon />}
      rightSection={text !== '' && <Clear label={label} onClear={() => change('')} />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      size="xs"
      w={placeholder === undefined ? 128 : 230}
      maxLength={200}
    />
  )
}

interface ClearProps {
  readonly label: string
  readonly onClear: () => void
}

function Clear({ label, onClear }: ClearProps) {
  return <CloseButton size="xs" title={`Clear ${label}`} onClick={onClear} />
}

type Choices = readonly (string | { readonly value: string; readonly label: string })[]

const has = (data: Choices, value: string | undefined): boolean =>
  data.some((choice) => (typeof choice === 'string' ? choice : choice.value) === value)

interface ChoiceProps extends Omit<FilterProps, 'onType'> {
  readonly data: Choices
  /** Why there are no choices, or why the value is invalid. */
  readonly error?: string | undefined
}

/** A select field. Shows an unknown value from the URL as it is. */
function Choice({ label, value, onChange, data, error }: ChoiceProps) {
  const choices =
    value === undefined || has(data, value) ? data : [...data, { value, label: `“${showInvisible(value)}”` }]
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={[...choices]}
      value={value ?? null}
      onChange={onChange}
      error={error}
      clearable
      searchable
      size="xs"
      w={128}
    />
  )
}

/** A select field with fixed choices. */
export function ChoiceFilter(props: Omit<ChoiceProps, 'error'>) {
  const isNone = props.value !== undefined && !has(props.data, props.value)
  return <Choice {...props} error={isNone ? 'Not a valid choice' : undefined} />
}

/** A select field with codes from the API. */
export function LookupFilter({
  lookup,
  ...props
}: Omit<FilterProps, 'onType'> & { readonly lookup: CodeOptions }) {
  return <Choice data={lookup.codes} error={lookup.error} {...props} />
}

/** Removes all filters from the URL. */
export function ClearFilters() {
  const [params, setParams] = useSearchParams()
  if (params.size === 0) return null
  return (
    <Button size="xs" variant="default" onClick={() => setParams(new URLSearchParams())}>
      Show all
    </Button>
  )
}

interface FilterChipsProps {
  /** Active filters with their labels. */
  readonly filters: readonly {
    readonly label: string
    readonly value: string | undefined
    readonly onClear: () => void
  }[]
}

/** Filters from the URL without a field. Each can be cleared. */
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
          removeButtonProps={{ 'aria-label': `Clear ${label}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {value === 'true' ? label : `${label}: ${showInvisible(value ?? '')}`}
        </Pill>
      ))}
    </Group>
  )
}
