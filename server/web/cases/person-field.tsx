import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useState } from 'react'
import { usePeople } from '../api/lookups.ts'

interface PersonFieldProps extends Omit<AutocompleteProps, 'data' | 'filter'> {
  /** Code; undefined: nobody is offered. */
  readonly organization: string | undefined
  readonly value: string
}

/**
 * A field for a person who may act on the cases of an organization, or any other text. Whoever enters it sees all people, and replaces
 * the present one by typing.
 */
export function PersonField({ organization, value, ...field }: PersonFieldProps) {
  const people = usePeople(organization)
  const [present, setPresent] = useState(value)
  return (
    <Autocomplete
      {...field}
      data={[...people]}
      value={value}
      maxLength={200}
      selectFirstOptionOnChange={false}
      onFocus={({ currentTarget }) => {
        setPresent(value)
        currentTarget.select()
      }}
      filter={({ options, search, limit }) => {
        const wanted = value === present ? '' : search.trim().toLowerCase()
        return options
          .filter((option) => 'label' in option && option.label.toLowerCase().includes(wanted))
          .slice(0, limit)
      }}
    />
  )
}
