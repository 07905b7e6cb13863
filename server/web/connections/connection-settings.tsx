import { Button, Group, Stack, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call } from '../api/call.ts'
import { problemOf } from '../api/problem.ts'
import { fieldErrors, fieldsOf, valueOf, type FormField } from '../forms/form-fields.ts'
import { SchemaForm } from '../forms/schema-form.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { changedSettings, valuesOf, type Connection, type Plugin } from './connection.ts'

interface ConnectionSettingsProps {
  readonly connection: Connection
  readonly setup: NonNullable<Plugin['connection']>
  readonly path: string
  readonly etag: string | null
  readonly mayEdit: boolean
  readonly onDone: () => void
}

/** A secret that is stored is not shown, and stays as it is where nothing is typed. */
const keepSecret = (field: FormField): FormField =>
  field.kind === 'secret'
    ? { ...field, isRequired: false, description: `${field.description ?? ''} Empty: as it is.`.trim() }
    : field

/** How a connection is set up. */
export function ConnectionSettings(props: ConnectionSettingsProps) {
  const { connection, setup, path, etag, mayEdit, onDone } = props
  const fields = useMemo(() => fieldsOf(setup.settings).map(keepSecret), [setup])
  const [values, setValues] = useState(() => valuesOf(connection.settings))
  const save = useMutation({
    mutationFn: () =>
      call('PATCH', path, {
        body: { settings: changedSettings(connection.settings, valueOf(fields, values)) },
        headers: { 'if-match': etag ?? '*' },
      }),
    onSuccess: onDone,
  })
  const errors = save.isError ? problemOf(save.error).errors : undefined
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Settings
      </Title>
      {!mayEdit && <JsonView value={connection.settings} label="Settings" />}
      {mayEdit && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            save.mutate()
          }}
        >
          <Stack gap="sm">
            <SchemaForm
              fields={fields}
              values={values}
              errors={fieldErrors(errors, '/settings')}
              onChange={setValues}
            />
            {save.isError && <Refusal error={save.error} />}
            <Group justify="flex-end">
              <Button type="submit" size="xs" loading={save.isPending}>
                Save
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Stack>
  )
}
