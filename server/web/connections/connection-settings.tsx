import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { callTagged, type Tagged } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import { fieldErrors, fieldsOf, valueOf, type FormField, type FormValues } from '../forms/form-fields.ts'
import { FormRefusal } from '../forms/form-refusal.tsx'
import { SchemaForm } from '../forms/schema-form.tsx'
import { typedFields } from '../forms/typed-fields.ts'
import { useTyped } from '../forms/typed.ts'
import { JsonView } from '../parts/json/json-view.tsx'
import { Section } from '../parts/section.tsx'
import {
  changedSettings,
  overtakenFields,
  takeOver,
  valuesOf,
  type Connection,
  type Plugin,
} from './connection.ts'
import { Meanwhile } from './meanwhile.tsx'

interface ConnectionSettingsProps {
  readonly connection: Connection
  readonly setup: NonNullable<Plugin['connection']>
  readonly path: string
  readonly etag: string | null
  readonly mayEdit: boolean
  readonly onEdited: (isEdited: boolean) => void
  readonly onDone: () => void
  readonly onSaved: (saved: Tagged<Connection>) => void
}

interface Filled {
  /** As they were when the form was filled: what differs from them is what somebody typed. */
  readonly before: Connection['settings']
  readonly values: FormValues
}

/** A secret that is stored is not shown, and stays as it is where nothing is typed. */
const keepSecret = (field: FormField): FormField =>
  field.kind === 'secret'
    ? {
        ...field,
        isRequired: false,
        description: `${field.description ?? ''} Leave blank to keep the current secret.`.trim(),
      }
    : field

/** How a connection is set up. */
export function ConnectionSettings(props: ConnectionSettingsProps) {
  const { connection, setup, path, etag, mayEdit, onEdited, onDone, onSaved } = props
  const fields = useMemo(() => fieldsOf(setup.settings).map(keepSecret), [setup])
  const { settings: now, name, organization_code: code } = connection
  const [begun] = useState<Filled>({ before: now, values: valuesOf(now) })
  const [filled, setFilled, forget] = useTyped<Filled>({
    place: `Connection ${name} of ${code}`,
    empty: begun,
    textOf: useCallback(
      (typed: Filled) => typedFields(fields, typed.values, valuesOf(typed.before)),
      [fields],
    ),
  })
  const { before, values } = filled
  const isEdited = typedFields(fields, values, valuesOf(before)) !== ''
  useEffect(() => onEdited(isEdited), [isEdited, onEdited])
  /** What was last read: what was saved is known before it is read again. */
  const [seen, setSeen] = useState(before)
  const setValues = (next: FormValues): void => setFilled((typed) => ({ ...typed, values: next }))
  const [overtaken, setOvertaken] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (now === seen) return
    setSeen(now)
    const names = overtakenFields(values, valuesOf(before), valuesOf(now))
    if (names.length > 0) setOvertaken((known) => new Set([...known, ...names]))
    setFilled((typed) => ({ before: now, values: takeOver(typed.values, valuesOf(before), valuesOf(now)) }))
  }, [before, now, seen, setFilled, values])
  const theirs = valuesOf(now)
  const contested = fields.filter(({ name }) => overtaken.has(name) && values[name] !== theirs[name])
  const save = useMutation({
    mutationFn: (sent: Filled) =>
      callTagged<Connection>('PATCH', path, {
        body: { settings: changedSettings(sent.before, valueOf(fields, sent.values)) },
        headers: { 'if-match': etag ?? '*' },
      }),
    onSuccess(saved, sent) {
      const { settings } = saved.data
      setOvertaken(new Set())
      setFilled((typed) => ({
        before: settings,
        values: takeOver(typed.values, sent.values, valuesOf(settings)),
      }))
      forget(sent)
      onSaved(saved)
    },
    onSettled: onDone,
  })
  const problem = save.isError ? problemOf(save.error) : undefined
  const errors = fieldErrors(problem?.errors, '/settings')
  if (!mayEdit)
    return (
      <Section title="Settings">
        <JsonView value={connection.settings} label="Settings" />
      </Section>
    )
  return (
    <Section title="Settings">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (contested.length === 0) save.mutate(filled)
        }}
      >
        <Stack gap="sm">
          <SchemaForm
            fields={fields}
            values={values}
            errors={
              new Map([
                ...errors,
                ...contested.map(({ name }) => [name, 'Someone else changed this'] as const),
              ])
            }
            onChange={setValues}
          />
          {contested.length > 0 && (
            <Meanwhile
              fields={contested}
              now={theirs}
              isPending={save.isPending}
              onMine={() => save.mutate(filled)}
              onTheirs={() => {
                setValues(takeTheirs(values, contested, theirs))
                setOvertaken(new Set())
              }}
            />
          )}
          {problem?.status === 412 && contested.length === 0 && <Overtaken />}
          {save.isError && problem?.status !== 412 && <FormRefusal error={save.error} shown={errors.size} />}
          <Group justify="flex-end" gap="sm">
            {save.isSuccess && (
              <Text size="sm" c="dimmed" role="status">
                Saved
              </Text>
            )}
            <Button type="submit" size="xs" loading={save.isPending} disabled={contested.length > 0}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

/** What stands in the form where these fields are as another made them. */
function takeTheirs(mine: FormValues, fields: readonly FormField[], theirs: FormValues): FormValues {
  const names = new Set(fields.map(({ name }) => name))
  const others = Object.entries(mine).filter(([name]) => !names.has(name))
  return Object.fromEntries([...others, ...Object.entries(theirs).filter(([name]) => names.has(name))])
}

/** Somebody else was faster. */
function Overtaken() {
  return (
    <Alert color="orange" title="Someone else changed this connection" role="alert">
      <Text size="sm">
        The form shows their changes and keeps yours. Your changes are not saved: save again.
      </Text>
    </Alert>
  )
}
