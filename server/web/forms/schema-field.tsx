import { Autocomplete, JsonInput, NumberInput, PasswordInput, Select, TextInput } from '@mantine/core'
import { yesNo, type FormField } from './form-fields.ts'

interface SchemaFieldProps {
  readonly field: FormField
  readonly value: string | boolean | undefined
  readonly error: string | undefined
  readonly onChange: (value: string | boolean) => void
}

/** One field, in the control that fits its kind. */
export function SchemaField({ field, value, error, onChange }: SchemaFieldProps) {
  const { kind, label, description, placeholder, isRequired, choices, examples } = field
  const look = { label, description, error, withAsterisk: isRequired }
  const text = typeof value === 'string' ? value : ''
  switch (kind) {
    case 'yes_no':
      return (
        <Select
          {...look}
          placeholder={placeholder}
          data={[yesNo(true), yesNo(false)]}
          value={typeof value === 'boolean' ? yesNo(value) : null}
          onChange={(next) => onChange(next === null ? '' : next === yesNo(true))}
          clearable={!isRequired}
        />
      )
    case 'choice':
      return (
        <Select
          {...look}
          placeholder={placeholder}
          data={[...choices]}
          value={text === '' ? null : text}
          onChange={(next) => onChange(next ?? '')}
          clearable={!isRequired}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...look}
          placeholder={placeholder}
          value={text}
          onChange={(next) => onChange(String(next))}
        />
      )
    case 'json':
      return (
        <JsonInput
          {...look}
          placeholder={placeholder}
          value={text}
          onChange={onChange}
          validationError="This is no JSON"
          autosize
          minRows={2}
        />
      )
    case 'secret':
      return (
        <PasswordInput
          {...look}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          autoComplete="new-password"
        />
      )
    case 'text':
      if (examples.length > 1)
        return (
          <Autocomplete
            {...look}
            placeholder={placeholder}
            data={[...examples]}
            value={text}
            onChange={onChange}
            autoComplete="off"
            spellCheck={false}
          />
        )
      return (
        <TextInput
          {...look}
          placeholder={placeholder}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )
  }
}
