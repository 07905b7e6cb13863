import { Stack } from '@mantine/core'
import type { FormField, FormValues } from './form-fields.ts'
import { SchemaField } from './schema-field.tsx'
import './schema-form.css'

interface SchemaFormProps {
  readonly fields: readonly FormField[]
  readonly values: FormValues
  readonly errors?: ReadonlyMap<string, string>
  readonly onChange: (values: FormValues) => void
}

/** The fields of an object, as its JSON Schema describes them; those whose default fits most are folded up. */
export function SchemaForm({ fields, values, errors, onChange }: SchemaFormProps) {
  const show = (field: FormField) => (
    <SchemaField
      key={field.name}
      field={field}
      value={values[field.name]}
      error={errors?.get(field.name)}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
    />
  )
  const main = fields.filter(({ isExtra }) => !isExtra)
  const extra = fields.filter(({ isExtra }) => isExtra)
  const isWrongWithin = extra.some(({ name }) => errors?.has(name))
  // Few fields need no folding.
  if (main.length === 0 || extra.length === 0) return <Stack gap="sm">{fields.map(show)}</Stack>
  return (
    <Stack gap="sm">
      {main.map(show)}
      <details className="extra-fields" {...(isWrongWithin && { open: true })}>
        <summary>More: {extra.map(({ label }) => label).join(', ')}</summary>
        <Stack gap="sm" mt="sm">
          {extra.map(show)}
        </Stack>
      </details>
    </Stack>
  )
}
