import { CloseButton, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { useEffect, useState } from 'react'
import { showInvisible } from '../../parts/json/show-invisible.ts'
import type { Lookup } from '../../api/lookups.ts'

interface FilterProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | null) => void
  readonly onType: (value: string) => void
}

/** Text that is used once somebody stops typing. */
function useTyped({ value = '', onType }: Pick<FilterProps, 'value' | 'onType'>) {
  const [text, setText] = useState(value)
  const tell = useDebouncedCallback(onType, 300)
  // What was sent comes back without the blanks around it: those are still being typed.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value])
  const change = (next: string): void => {
    setText(next)
    tell(next.trim())
  }
  return [text, change] as const
}

/** Words that are looked for. */
export function SearchFilter({
  label,
  placeholder,
  ...props
}: FilterProps & { readonly placeholder: string }) {
  const [text, change] = useTyped(props)
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      leftSection={<MagnifyingGlassIcon />}
      rightSection={text !== '' && <Clear label={label} onClear={() => change('')} />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      size="xs"
      w={230}
      maxLength={200}
    />
  )
}

/** A value that has to fit exactly. */
export function TypedFilter({ label, ...props }: FilterProps) {
  const [text, change] = useTyped(props)
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      rightSection={text !== '' && <Clear label={label} onClear={() => change('')} />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      size="xs"
      w={128}
    />
  )
}

interface ClearProps {
  readonly label: string
  readonly onClear: () => void
}

function Clear({ label, onClear }: ClearProps) {
  return <CloseButton size="xs" title={`Clear: ${label}`} onClick={onClear} />
}

type Choices = readonly (string | { readonly value: string; readonly label: string })[]

const has = (data: Choices, value: string | undefined): boolean =>
  data.some((choice) => (typeof choice === 'string' ? choice : choice.value) === value)

interface ChoiceProps extends Omit<FilterProps, 'onType'> {
  readonly data: Choices
  /** Why there is nothing to choose from, or what is chosen is none of it. */
  readonly error?: string | undefined
}

/** One of several values; one of the address that is none of them is shown as it is. */
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

/** One of a few values, and none else. */
export function ChoiceFilter(props: Omit<ChoiceProps, 'error'>) {
  const isNone = props.value !== undefined && !has(props.data, props.value)
  return <Choice {...props} error={isNone ? 'None of the choices' : undefined} />
}

/** One of what the API knows. */
export function LookupFilter({
  lookup,
  ...props
}: Omit<FilterProps, 'onType'> & { readonly lookup: Lookup }) {
  return <Choice data={lookup.codes} error={lookup.error} {...props} />
}
