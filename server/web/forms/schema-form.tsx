import {
  Textarea,
  Stack,
  Autocomplete,
  Button,
  JsonInput,
  NumberInput,
  PasswordInput,
  Select,
  TextInput,
  Text,
} from '@mantine/core'
import type { useJsonText } from './form-state.ts'
import { useEffect, useRef } from 'react'
import { referenceMark, type FormField, type FormValues, yesNo } from './form-fields.ts'
import './schema-form.css'
import { apiProblem } from '../api/problem.ts'
import { ErrorAlert } from '../parts/feedback.tsx'

interface SchemaFormProps {
  readonly fields: readonly FormField[]
  readonly values: FormValues
  readonly errors?: ReadonlyMap<string, string>
  /** Whether a secret can be a reference. Default false. */
  readonly withReferences?: boolean
  readonly onChange: (values: FormValues) => void
}

/** A form for an object of a JSON Schema. Fields with a default are folded. */
export function SchemaForm({ fields, values, errors, withReferences, onChange }: SchemaFormProps) {
  const show = (field: FormField) => (
    <SchemaField
      key={field.name}
      field={field}
      value={values[field.name]}
      error={errors?.get(field.name)}
      withReferences={withReferences === true}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
    />
  )
  const main = fields.filter(({ isExtra }) => !isExtra)
  const extra = fields.filter(({ isExtra }) => isExtra)
  const isWrongWithin = extra.some(({ name }) => errors?.has(name))
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

interface SchemaFieldProps {
  readonly field: FormField
  readonly value: string | boolean | undefined
  readonly error: string | undefined
  readonly withReferences: boolean
  readonly onChange: (value: string | boolean) => void
}

/** One field with the input for its kind. */
function SchemaField({ field, value, error, withReferences, onChange }: SchemaFieldProps) {
  const { kind, label, description, placeholder, isRequired, choices, examples } = field
  const look = { label, description, error, placeholder, withAsterisk: isRequired }
  const text = typeof value === 'string' ? value : ''
  switch (kind) {
    case 'yes_no':
      return (
        <Select
          {...look}
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
          data={[...choices]}
          value={text === '' ? null : text}
          onChange={(next) => onChange(next ?? '')}
          clearable={!isRequired}
        />
      )
    case 'number':
      return <NumberInput {...look} value={text} onChange={(next) => onChange(String(next))} />
    case 'json':
      return (
        <JsonInput
          {...look}
          value={text}
          onChange={onChange}
          validationError="Invalid JSON"
          autosize
          minRows={2}
        />
      )
    case 'secret':
      return <SecretInput look={look} value={text} withReferences={withReferences} onChange={onChange} />
    case 'text':
      if (examples.length > 1)
        return (
          <Autocomplete
            {...look}
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
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )
  }
}

interface SecretInputProps extends Pick<SchemaFieldProps, 'withReferences' | 'onChange'> {
  readonly look: object
  readonly value: string
}

/** A secret, or a reference to it. */
function SecretInput({ look, value, withReferences, onChange }: SecretInputProps) {
  const isReference = value.startsWith(referenceMark)
  return (
    <Stack gap={4} align="stretch">
      {isReference ? (
        <TextInput
          {...look}
          description="Where the secret is kept: env:NAME, file:path or vault:path#key"
          placeholder="vault:intel#api_key"
          value={value.slice(referenceMark.length)}
          onChange={(event) => onChange(referenceMark + event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      ) : (
        <PasswordInput
          {...look}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          autoComplete="new-password"
        />
      )}
      {withReferences && (
        <Button
          variant="subtle"
          size="compact-xs"
          w="fit-content"
          onClick={() => onChange(isReference ? '' : referenceMark)}
        >
          {isReference ? 'Store the secret' : 'Use a reference'}
        </Button>
      )}
    </Stack>
  )
}

interface FormRefusalProps {
  readonly error: unknown
  /** Number of errors shown at their fields. */
  readonly shown: number
}

/** The error of a form. Moves the focus to the first invalid field. */
export function FormError({ error, shown }: FormRefusalProps) {
  const place = useRef<HTMLDivElement>(null)
  const { errors = [] } = apiProblem(error)
  useEffect(() => {
    place.current?.closest('form, fieldset')?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  const places = new Set(errors.map(({ pointer }) => pointer ?? ''))
  const isAllShown = places.size > 0 && places.size === shown
  return (
    <div ref={place}>
      {isAllShown ? (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {shown === 1 ? 'Check the highlighted field' : `Check the ${shown} highlighted fields`}
        </Text>
      ) : (
        <ErrorAlert error={error} />
      )}
    </div>
  )
}

interface JsonTextareaProps {
  readonly label: string
  readonly description?: string
  readonly field: ReturnType<typeof useJsonText>['field']
}

/** A field for JSON, see `useJsonText`. */
export function JsonTextarea({ field, ...props }: JsonTextareaProps) {
  return (
    <Textarea
      {...props}
      {...field}
      classNames={{ input: 'code-input' }}
      spellCheck={false}
      autosize
      minRows={3}
      maxRows={14}
    />
  )
}
