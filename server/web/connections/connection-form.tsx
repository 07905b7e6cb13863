import { Anchor, Button, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../api/call.ts'
import { useOrganizations } from '../api/lookups.ts'
import { problemOf } from '../api/problem.ts'
import { fieldErrors, fieldsOf, valueOf, type FormValues } from '../forms/form-fields.ts'
import { SchemaForm } from '../forms/schema-form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { ViewTitle } from '../shell/view-title.tsx'
import type { Connection, Plugin } from './connection.ts'

interface ConnectionFormProps {
  readonly plugin: Plugin
  readonly onBack: () => void
}

/** What a new connection needs, as its plugin describes it. */
export function ConnectionForm({ plugin, onBack }: ConnectionFormProps) {
  const { connection } = plugin
  const [, navigate] = useLocation()
  const organizations = useOrganizations()
  const fields = useMemo(() => fieldsOf(connection?.settings ?? {}), [connection])
  const [organization, setOrganization] = useState<string | null>(null)
  const [name, setName] = useState(plugin.name.replaceAll('_', '-'))
  const [values, setValues] = useState<FormValues>({})
  const code = organization ?? organizations[0]?.code
  const make = useMutation({
    mutationFn: () =>
      call<Connection>('POST', '/connections', {
        body: {
          organization_code: code,
          name: name.trim(),
          plugin: plugin.name,
          settings: valueOf(fields, values),
        },
      }),
    onSuccess: ({ connection_uuid: id }) => navigate(`/connections/${id}`),
  })
  const errors = make.isError ? problemOf(make.error).errors : undefined
  const atTop = fieldErrors(errors, '')
  return (
    <Stack maw={680}>
      <ViewTitle>{`New connection: ${plugin.title}`}</ViewTitle>
      <Text size="sm">
        {connection?.description}{' '}
        {typeof connection?.docs === 'string' && (
          <Anchor underline="always" href={connection.docs} target="_blank" rel="noreferrer" size="sm">
            How to set it up
          </Anchor>
        )}
      </Text>
      <Paper withBorder p="md">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            make.mutate()
          }}
        >
          <Stack gap="sm">
            <Group grow align="flex-start">
              <Select
                label="Organization"
                data={organizations.map((each) => each.code)}
                value={code ?? null}
                onChange={setOrganization}
                allowDeselect={false}
                withAsterisk
              />
              <TextInput
                label="Name"
                description="Playbooks name it where there are several."
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                error={atTop.get('name')}
                withAsterisk
              />
            </Group>
            <SchemaForm
              fields={fields}
              values={values}
              errors={fieldErrors(errors, '/settings')}
              onChange={setValues}
            />
            {make.isError && <Refusal error={make.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onBack}>
                Another system
              </Button>
              <Button type="submit" loading={make.isPending}>
                Make the connection
              </Button>
            </Group>
          </Stack>
        </form>
      </Paper>
    </Stack>
  )
}
