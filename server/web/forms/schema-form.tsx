import { JsonInput, NumberInput, PasswordInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import type { FormField, FormValues } from './form-fields.ts'

interface SchemaFormProps {
  readonly fields: readonly FormField[]
  readonly values: FormValues
  readonly errors?: ReadonlyMap<string, string>
  readonly onChange: (values: FormValues) => void
}

/** The fields of an object, as its JSON Schema describes them. */
export function SchemaForm({ fields, values, errors, onChange }: SchemaFormProps) {
  return (
    <Stack gap="sm">
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          value={values[field.name]}
          error={errors?.get(field.name)}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
    </Stack>
  )
}

interface SchemaFieldProps {
  readonly field: FormField
  readonly value: string | boolean | undefined
  readonly error: string | undefined
  readonly onChange: (value: string | boolean) => void
}

function SchemaField({ field, value, error, onChange }: SchemaFieldProps) {
  const { kind, label, description, placeholder, isRequired, choices } = field
  const look = { label, description, error, withAsterisk: isRequired }
  const text = typeof value === 'string' ? value : ''
  switch (kind) {
    case 'switch':
      return (
        <Switch
          label={label}
          description={description}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
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
