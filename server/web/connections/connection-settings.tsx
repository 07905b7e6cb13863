import { Alert, Button, Group, Stack, Text, List } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { apiCallTagged, type Tagged } from '../api/call.ts'
import { apiProblem } from '../api/problem.ts'
import {
  fieldErrors,
  fieldsOf,
  formObject,
  referenceMark,
  type FormField,
  type FormValues,
  changedFieldsText,
} from '../forms/form-fields.ts'
import { FormError, SchemaForm } from '../forms/schema-form.tsx'
import { useUnsavedInput, handleSubmit } from '../forms/form-state.ts'
import { JsonView } from '../parts/text-view.tsx'
import { Section } from '../parts/layout.tsx'
import { changedSettings, conflictingFields, mergeValues, savedFields, valuesOf } from './connection.ts'
import type { ApiConnection, ApiPlugin } from '../api/types.ts'
import { showInvisible } from '../parts/outside-text.ts'

interface ConnectionSettingsProps {
  readonly connection: ApiConnection
  readonly setup: NonNullable<ApiPlugin['connection']>
  readonly path: string
  readonly etag: string | null
  readonly mayEdit: boolean
  readonly onEdited: (isEdited: boolean) => void
  readonly onDone: () => void
  readonly onSaved: (saved: Tagged<ApiConnection>) => void
}

interface Filled {
  /** The saved settings that the form was filled with. */
  readonly before: ApiConnection['settings']
  readonly values: FormValues
}

/** A saved secret is not shown. A blank field keeps it. */
const keepSecret = (field: FormField): FormField =>
  field.kind === 'secret'
    ? {
        ...field,
        isRequired: false,
        description: `${field.description ?? ''} Leave blank to keep the current secret.`.trim(),
      }
    : field

/** The settings of a connection, and a form to change them. */
export function ConnectionSettings(props: ConnectionSettingsProps) {
  const { connection, mayEdit } = props
  const { fields, values, setValues, theirs, contested, takeTheirs, save, submit } = useSettingsForm(props)
  const problem = save.isError ? apiProblem(save.error) : undefined
  const errors = fieldErrors(problem?.errors, '/settings')
  if (!mayEdit)
    return (
      <Section title="Settings">
        <JsonView value={savedFields(connection)} label="Settings" />
      </Section>
    )
  return (
    <Section title="Settings">
      <form noValidate onSubmit={handleSubmit(() => contested.length === 0 && submit())}>
        <Stack gap="sm">
          <SchemaForm
            fields={fields}
            values={values}
            withReferences
            errors={
              new Map([
                ...errors,
                ...contested.map(({ name }) => [name, 'Someone else changed this'] as const),
              ])
            }
            onChange={setValues}
          />
          {contested.length > 0 && (
            <FieldConflicts
              fields={contested}
              now={theirs}
              isPending={save.isPending}
              onMine={submit}
              onTheirs={takeTheirs}
            />
          )}
          {problem?.status === 412 && contested.length === 0 && <RevisionConflict />}
          {save.isError && problem?.status !== 412 && <FormError error={save.error} shown={errors.size} />}
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

/** The form: its values, conflicts with someone else, and the request. */
function useSettingsForm({
  connection,
  setup,
  path,
  etag,
  onEdited,
  onDone,
  onSaved,
}: ConnectionSettingsProps) {
  const fields = useMemo(() => fieldsOf(setup.settings).map(keepSecret), [setup])
  const { settings, secret_references, name, organization_code: code } = connection
  const now = useMemo(() => savedFields({ settings, secret_references }), [settings, secret_references])
  const [begun] = useState<Filled>({ before: now, values: valuesOf(now) })
  const [filled, setFilled, forget] = useUnsavedInput<Filled>({
    place: `Connection ${name} of ${code}`,
    empty: begun,
    textOf: useCallback(
      (typed: Filled) => changedFieldsText(fields, typed.values, valuesOf(typed.before)),
      [fields],
    ),
  })
  const { before, values } = filled
  const isEdited = changedFieldsText(fields, values, valuesOf(before)) !== ''
  useEffect(() => onEdited(isEdited), [isEdited, onEdited])
  /** The last settings from the server, or from a save. */
  const [seen, setSeen] = useState(before)
  const setValues = (next: FormValues): void => setFilled((typed) => ({ ...typed, values: next }))
  const [conflicting, setConflicting] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (now === seen) return
    setSeen(now)
    const names = conflictingFields(values, valuesOf(before), valuesOf(now))
    if (names.length > 0) setConflicting((known) => new Set([...known, ...names]))
    setFilled((typed) => ({
      before: now,
      values: mergeValues(typed.values, valuesOf(before), valuesOf(now)),
    }))
  }, [before, now, seen, setFilled, values])
  const theirs = valuesOf(now)
  const contested = fields.filter(({ name }) => conflicting.has(name) && values[name] !== theirs[name])
  const save = useMutation({
    mutationFn: (sent: Filled) =>
      apiCallTagged<ApiConnection>('PATCH', path, {
        body: { settings: changedSettings(sent.before, formObject(fields, sent.values)) },
        headers: { 'if-match': etag ?? '*' },
      }),
    onSuccess(saved, sent) {
      const after = savedFields(saved.data)
      setConflicting(new Set())
      setFilled((typed) => ({
        before: after,
        values: mergeValues(typed.values, sent.values, valuesOf(after)),
      }))
      forget(sent)
      onSaved(saved)
    },
    onSettled: onDone,
  })
  return {
    fields,
    values,
    setValues,
    theirs,
    contested,
    takeTheirs: () => {
      setValues(withTheirs(values, contested, theirs))
      setConflicting(new Set())
    },
    save,
    submit: () => save.mutate(filled),
  }
}

/** The values, with these fields as someone else saved them. */
function withTheirs(mine: FormValues, fields: readonly FormField[], theirs: FormValues): FormValues {
  const names = new Set(fields.map(({ name }) => name))
  const others = Object.entries(mine).filter(([name]) => !names.has(name))
  return Object.fromEntries([...others, ...Object.entries(theirs).filter(([name]) => names.has(name))])
}

function RevisionConflict() {
  return (
    <Alert color="orange" title="Someone else changed this connection" role="alert">
      <Text size="sm">
        The form shows their changes and keeps yours. Your changes are not saved: save again.
      </Text>
    </Alert>
  )
}

interface FieldConflictsProps {
  /** Edited fields that someone else changed. */
  readonly fields: readonly FormField[]
  readonly now: FormValues
  readonly isPending: boolean
  readonly onMine: () => void
  readonly onTheirs: () => void
}

/** Shows conflicting fields, and a choice. */
function FieldConflicts({ fields, now, isPending, onMine, onTheirs }: FieldConflictsProps) {
  return (
    <Alert color="orange" title="Someone else changed these fields" role="alert">
      <List size="sm">
        {fields.map(({ name, label }) => (
          <List.Item key={name} className="outside-text">
            {label}: now {nowText(now[name])}
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt={4}>
        Your changes are not saved.
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" loading={isPending} onClick={onMine}>
          Save mine
        </Button>
        <Button size="xs" variant="default" onClick={onTheirs}>
          Use theirs
        </Button>
      </Group>
    </Alert>
  )
}

const nowText = (value: string | boolean | undefined): string =>
  value === undefined || value === ''
    ? 'empty'
    : `“${showInvisible(String(value).replace(referenceMark, ''))}”`
